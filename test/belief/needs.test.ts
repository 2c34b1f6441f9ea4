import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { NEEDS, type Need } from '../../src/belief/needs.ts';

const DECISION = new URL('../../docs/decisions/0018-one-reading-is-not-the-truth.md', import.meta.url);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const ANSWERS = {
  agrees: 'its own page agrees',
  denies: 'its own page denies it',
  ended: 'its own page says that it is completed',
  gone: 'its own page is gone, and still is after',
};

/** A way in which a statement becomes true, in words. */
function describeNeed({ readings, overMs = 0, ownPage, isUnansweredNumber, isAboveUnchanged }: Need): string {
  if (isAboveUnchanged) return 'above the first card that is as it was';
  if (ownPage) return [ANSWERS[ownPage], ...(overMs > 0 ? [describeTime(overMs)] : [])].join(' ');
  if (isUnansweredNumber) return `a number: a second reading after ${describeTime(overMs)}`;
  if (readings === undefined) return overMs > 0 ? `after ${describeTime(overMs)}` : 'at once';
  return `${readings} crawls over ${describeTime(overMs)}`;
}

function describeTime(ms: number): string {
  const [count, unit] =
    ms % DAY === 0 ? [ms / DAY, 'day'] : ms % HOUR === 0 ? [ms / HOUR, 'hour'] : [ms / MINUTE, 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** The table as the decision has it. */
function printTable(): string {
  const columns = ['few', 'many', 'missing', 'denied'] as const;
  const titles = [
    'grade',
    'usually',
    'while many differ',
    'the anime is missing',
    'its own page denies the number',
  ];
  const rows = Object.entries(NEEDS).map(([grade, needs]) => [
    grade,
    ...columns.map((column) => needs[column]?.map(describeNeed).join('; ') ?? '–'),
  ]);
  return [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

test('the decision has the table as the code has it', async () => {
  const decision = await readFile(DECISION, 'utf8');
  const [, printed] = /<!-- NEEDS[^\n]*-->\n([\s\S]*)\n<!-- \/NEEDS -->/u.exec(decision) ?? [];
  expect(printed).toBe(printTable());
});
