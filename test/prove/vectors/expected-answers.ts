import { readFileSync } from 'node:fs';
import path from 'node:path';

const TABLE = path.resolve(import.meta.dirname, '../../../docs/vectors.md');

/** Where an odd request is sent, in the order of the columns of the table. */
export const WAYS = ['the service', 'nginx', 'Caddy', 'HAProxy', 'Varnish'] as const;

/** What is answered to a request on each way; one answer where all agree. */
interface ExpectedAnswers {
  answers: readonly string[];
  /** Why the answers differ; undefined where they agree. */
  why?: string | undefined;
}

/** Reads the answers to every request, by its name, from the tables of docs/vectors.md. */
export function readExpectedAnswers(): Map<string, ExpectedAnswers> {
  const [, section = ''] = readFileSync(TABLE, 'utf8').split('\n## Odd requests\n');
  const rows = section
    .split('\n')
    .flatMap((line) => (line.startsWith('| ') ? [line.slice(2, -2).split(' | ')] : []));
  const expected = new Map<string, ExpectedAnswers>();
  for (const [names = '', ...cells] of rows) {
    if (names === 'request') continue;
    const row = cells.length > 1 ? { answers: cells.slice(0, -1), why: cells.at(-1) } : { answers: cells };
    for (const name of names.split('; ')) expected.set(name, row);
  }
  return expected;
}

/** Describes what is wrong about an answer; undefined when it is as expected. */
export function compareAnswer(
  { answers, why }: ExpectedAnswers,
  way: (typeof WAYS)[number],
  answer: string,
): string | undefined {
  const expected = (why === undefined ? answers[0] : answers[WAYS.indexOf(way)]) ?? '';
  const found = why === undefined ? answer.replaceAll(/[()]/gu, '') : answer;
  return found === expected ? undefined : `${answer} and not ${expected}`;
}
