/** Formats these columns of rows, as wide as their longest cell. Cells have to be clean: they are printed as they are. */
export function formatTable<Column extends string>(
  columns: readonly Column[],
  rows: readonly Record<Column, string | number>[],
): string {
  const cells = rows.map((row) => columns.map((column) => String(row[column])));
  const all = [columns.map((column) => column.replace(/At$/u, '').toUpperCase()), ...cells];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const padded = all.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)));
  return padded.map((row) => row.join('  ').trimEnd()).join('\n');
}

/** Returns a formatter of ms since 1970 as `2026-11-22 08:08:00 GMT+7`. */
export function zonedTimeFormatter(timeZone: string): (ms: number) => string {
  // Sweden writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'long' });
  return (ms) => format.format(ms);
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
