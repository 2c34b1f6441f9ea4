import { median, medianInterval } from './measure.ts';

/** One line of the table: the measured values and the bound for their median. */
export interface Row {
  what: string;
  /** One value for each pair, or a single one where something is counted. */
  values: readonly number[];
  /** Absent in a row that only shows how a cost grows. */
  wanted?: { atLeast: number } | { atMost: number };
  /** Follows each number; absent for a ratio. */
  unit?: string;
}

export interface Line {
  group: string;
  what: string;
  measured: string;
  range: string;
  wanted: string;
  verdict: string;
}

export function toLine(group: string, { what, values, wanted, unit = '' }: Row): Line {
  const show = (value: number) => `${formatNumber(value)}${unit && ` ${unit}`}`;
  const middle = median(values);
  const { low, high } = medianInterval(values);
  const range = values.length > 1 ? `${formatNumber(low)} … ${formatNumber(high)}` : '';
  const line = { group, what, measured: show(middle), range };
  if (!wanted) return { ...line, wanted: '', verdict: '' };
  const [sign, bound] = 'atLeast' in wanted ? ['≥', wanted.atLeast] : ['≤', wanted.atMost];
  const lacking = sign === '≥' ? bound - middle : middle - bound;
  const verdict = lacking <= 0 ? 'ok' : `short by ${show(lacking)}`;
  const isUnsure = low < bound && bound < high;
  return { ...line, wanted: `${sign} ${show(bound)}`, verdict: isUnsure ? `${verdict}, unsure` : verdict };
}

/** Three significant digits; integers are unchanged. */
function formatNumber(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en');
  return Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en')
    : value.toPrecision(3).replace('-0.00', '0.00');
}

const HEAD: Line = {
  group: 'group',
  what: 'what',
  measured: 'measured',
  range: '95 % interval',
  wanted: 'wanted',
  verdict: '',
};
const COLUMNS = ['group', 'what', 'measured', 'range', 'wanted', 'verdict'] as const;

/** Formats a Markdown table with aligned columns. */
export function formatTable(lines: readonly Line[]): string {
  const widths = COLUMNS.map((column) => Math.max(...[HEAD, ...lines].map((line) => line[column].length)));
  const format = (line: Line) =>
    `| ${COLUMNS.map((column, index) => line[column].padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [format(HEAD), rule, ...lines.map(format)].join('\n');
}

/** Parses a table that `formatTable` has written. */
export function readTable(text: string): Line[] {
  const rows = text.split('\n').filter((row) => row.startsWith('| '));
  return rows.slice(2).map((row) => {
    const cells = row.split('|').map((cell) => cell.trim());
    const [group = '', what = '', measured = '', range = '', wanted = '', verdict = ''] = cells.slice(1);
    return { group, what, measured, range, wanted, verdict };
  });
}
