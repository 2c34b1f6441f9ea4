import { hash } from 'node:crypto';
import type { BeliefMemory } from './memory.ts';
import { type Rival, type Statement, statementKey } from './statement.ts';

/** What speaks for each statement of a reading, this reading included. */
export function countRivals(
  statements: readonly Statement[],
  { rivals }: BeliefMemory,
  { now, asked }: { now: number; asked: ReadonlySet<string> },
): Map<Statement, Rival> {
  return new Map(
    statements.map((one) => {
      const rival = countRival(one, rivals[statementKey(one)], now);
      return [one, one.asks && asked.has(one.slug) ? { ...rival, askedAt: now } : rival];
    }),
  );
}

/** Another value than before begins anew. That the place of an anime was not seen does not count against it. */
export function countRival(statement: Statement, before: Rival | undefined, now: number): Rival {
  const { grade, ownPage, isNumber, isUnnumbered } = statement;
  const value = digest(statement.value);
  const counts = grade === 'silent' ? 0 : 1;
  if (before?.value !== value) {
    const rival: Rival = { value, since: now, times: counts };
    if (isNumber) rival.isNumber = isNumber;
    if (isUnnumbered) rival.isUnnumbered = isUnnumbered;
    return withAnswer(rival, ownPage, now);
  }
  const isFirst = before.times === 0 && counts > 0;
  const rival = { ...before, times: before.times + counts, since: isFirst ? now : before.since };
  return withAnswer(rival, ownPage, now);
}

/** What the own page of the anime says of it. An anime that is missing, and whose page goes on, is missing from now on only. */
function withAnswer(rival: Rival, ownPage: Statement['ownPage'], now: number): Rival {
  if (ownPage === undefined) return rival;
  if (ownPage === 'gone') return { ...rival, ownPage, goneAt: rival.goneAt ?? now };
  const { goneAt: _, ...others } = rival;
  const isAlive = rival.value === GONE && ownPage === 'denies';
  const answered = { ...others, ownPage };
  return isAlive ? { ...answered, since: now, times: 0 } : answered;
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 12);
}

/** The value of an anime that is not shown. */
const GONE = digest('gone');

/** The anime that the last crawl did not show, and that have not left yet. */
export function listAbsent({ rivals }: BeliefMemory): Set<string> {
  return new Set(
    Object.entries(rivals).flatMap(([key, { value }]) =>
      value === GONE && key.startsWith(LISTED) ? key.slice(LISTED.length) : [],
    ),
  );
}

const LISTED = statementKey({ part: 'list', aspect: 'listed', slug: '' });
