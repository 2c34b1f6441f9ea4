/** The id in an address of a file's page, its bytes, its report or its deletion; a text that is no address as it is. */
export function idInAddress(text: string): string {
  const [, id = text] =
    /^(?:https?:\/\/[^/]+)?\/?(?:(?:[cfr]|dl?)\/)?([0-9a-z]+)(?:\.[0-9a-z]+)?(?:(?<=\/d\/\w+)\/[\w-]+)?\/?(?:[?#].*)?$/u.exec(
      text,
    ) ?? [];
  return id;
}
