/** Between two columns. */
const GAP = '  ';
/** Columns are left out before the last one gets narrower than this. */
const MIN_LAST_WIDTH = 20;
/** Characters that take two cells of a terminal. */
const WIDE =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60]/u;

interface TableOptions {
  /** The cells of a line; without a limit by default. */
  maxWidth?: number | undefined;
  /** The columns that may be left out where the table is wider, in this order. The last column is cut. */
  optional?: readonly string[];
}

/** Formats rows below a header, with columns as wide as their longest cell. Cells have to be clean: they are printed as they are. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { maxWidth = Infinity, optional = [] }: TableOptions = {},
): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lastWidth = maxWidth - widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
  const [spare, ...others] = optional;
  if (spare !== undefined && lastWidth < Math.min(widths.at(-1) ?? 0, MIN_LAST_WIDTH)) {
    const without = all.map((row) => row.toSpliced(header.indexOf(spare), 1));
    return formatTable(without[0] ?? [], without.slice(1), { maxWidth, optional: others });
  }
  return all.map((row) => formatRow(row, widths, lastWidth)).join('\n');
}

/** The last column is not padded, so that no line ends in spaces. */
function formatRow(row: readonly string[], widths: readonly number[], lastWidth: number): string {
  const padded = row.slice(0, -1).map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return [...padded, cut(row.at(-1) ?? '', lastWidth)].join(GAP).trimEnd();
}

/** Cuts a text to so many cells, with an ellipsis. */
function cut(text: string, width: number): string {
  const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  const cells = (shown: readonly string[]) => shown.reduce((sum, one) => sum + (WIDE.test(one) ? 2 : 1), 0);
  if (cells(characters) <= width) return text;
  while (characters.length > 0 && cells(characters) >= width) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

/** Breaks a text between words. Lines after the first one begin with the indent, which the first one already has. */
export function wrapText(text: string, indent: string, maxWidth: number): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    const longer = line ? `${line} ${word}` : word;
    if (line && longer.length > maxWidth - indent.length) lines.push(word);
    else lines.splice(-1, 1, longer);
  }
  return lines.join(`\n${indent}`);
}

/** JSON in which no character can act on a terminal: control characters, and those that are invisible or reverse text. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, escapeUnits);
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
