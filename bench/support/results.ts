import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { formatTable, type Line, readTable } from './table.ts';

const README = path.resolve(import.meta.dirname, '../README.md');
const BEGIN = '<!-- measured: begin -->\n';
const END = '<!-- measured: end -->';

/** The processes that ran, or waited for a core, in the minute before the first group. */
const LOAD_BEFORE = loadavg()[0] ?? 0;

export function describeMachine(): string {
  const machine = `${availableParallelism()} cores, ${process.platform} ${process.arch}, Node ${process.version}`;
  return `${machine}, on ${new Date().toISOString().slice(0, 10)}, beside a load of ${LOAD_BEFORE.toFixed(1)}`;
}

/** Writes lines into the table of README.md, in the order of the groups. The lines of other groups are kept. */
export async function writeResults(lines: readonly Line[], groups: readonly string[]): Promise<void> {
  const text = await readFile(README, 'utf8');
  const [before = '', rest = ''] = text.split(BEGIN);
  const [old = '', after = ''] = rest.split(END);
  const isRun = new Set(lines.map(({ group }) => group));
  const kept = readTable(old).filter(({ group }) => !isRun.has(group));
  const all = [...kept, ...lines].sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group));
  await writeFile(
    README,
    `${before}${BEGIN}\n${describeMachine()}:\n\n${formatTable(all)}\n\n${END}${after}`,
  );
}
