const ORIGIN = /^https?:\/\/[^/]+/u;
/** Strangers send addresses of any length: no part of the pattern may match in two ways, or it takes forever to fail. */
const PATH = /^\/?(?:d\/([0-9a-z]+)\/[\w-]+|(?:(?:[cfr]|dl?)\/)?([0-9a-z]+)(?:\.[0-9a-z]+)?)\/?$/u;

/** The id in an address of a file's page, its bytes, its report or its deletion; a text that is no address as it is. */
export function idInAddress(text: string): string {
  const [address = ''] = text.split(/[?#]/u, 1);
  const [, deletedId, id = deletedId] = PATH.exec(address.replace(ORIGIN, '')) ?? [];
  return id ?? text;
}
