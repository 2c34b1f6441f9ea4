const ASSIGNMENT = /^\s*(?:export\s+)?[\w.-]+\s*=\s*(.*)$/su;
const EMPTY = /^\s*(?:#.*)?$/su;

/** The numbers of the lines of a `.env` that Node would drop without a word: neither an assignment nor a comment. */
export function findStrayLines(text: string): number[] {
  const lines = text.split(/\r\n|[\n\r]/u);
  const stray: number[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]!;
    const [, value] = ASSIGNMENT.exec(line) ?? [];
    if (value !== undefined) index += continuationLines(value, lines.slice(index + 1));
    else if (!EMPTY.test(line)) stray.push(index + 1);
  }
  return stray;
}

/** How many of the next lines belong to a value: up to the quote that ends it, if there is one. */
function continuationLines(value: string, next: readonly string[]): number {
  const quote = value[0];
  if (quote === undefined || !'"\'`'.includes(quote) || value.includes(quote, 1)) return 0;
  return next.findIndex((line) => line.includes(quote)) + 1;
}
