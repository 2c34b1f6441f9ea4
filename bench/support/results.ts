import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { formatTable, type Line, readTable } from './table.ts';

const README = path.resolve(import.meta.dirname, '../README.md');
const BEGIN = '<!-- measured: begin -->\n';
const END = '<!-- measured: end -->';

export function describeMachine(): string {
  return `${availableParallelism()} cores, ${process.platform} ${process.arch}, Node ${process.version}`;
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
