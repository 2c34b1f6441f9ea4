/** Between two columns. */
const GAP = '  ';

/** Formats rows below a header, with columns as wide as their longest cell. Cells have to be clean: they are printed as they are. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => formatRow(row, widths)).join('\n');
}

/** The last column is not padded, so that no line ends in spaces. */
function formatRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join(GAP)
    .trimEnd();
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
