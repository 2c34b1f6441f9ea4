import type { OngoingAnime } from '../domain/listing.ts';
import { DAY_MS } from '../domain/units.ts';
import { type Rival, type Statement, statementKey } from './statement.ts';

/** A page cache is at most so old. */
const SEEN_KEPT_MS = 3 * DAY_MS;
const MAX_SEEN = 5_000;

/** What the latest readings say against the last good listing, stored beside it. */
export interface BeliefMemory {
  /** What statements that are not true yet have in their favour, by `keyOf`. */
  rivals: Record<string, Rival>;
  /** When the page was built that showed the last change of an anime; ms since 1970. */
  seen: Record<string, number>;
  /** When the page 1, and the schedule, that were believed last were built. */
  builtAt?: number;
  scheduleBuiltAt?: number;
  /** The number of pages of the list. */
  pages?: number | undefined;
}

export const NOTHING_REMEMBERED: BeliefMemory = { rivals: {}, seen: {} };

/** The statements of a part, and the rejected ones among them. */
interface Decided {
  all: readonly Statement[];
  doubts: readonly Statement[];
}

/**
 * What is remembered of statements that are not true yet. Page 1 alone is evidence for numbers and for nothing else; the crawl
 * that follows a page 1 that is not enough counts on.
 */
export function rememberRivals(
  decisions: readonly Decided[],
  rivals: ReadonlyMap<Statement, Rival>,
  memory: BeliefMemory,
  { isPeek, isUnclear }: { isPeek: boolean; isUnclear: boolean },
): BeliefMemory['rivals'] {
  const isOpen = (one: Statement, doubts: readonly Statement[]) => one.isUnnumbered || doubts.includes(one);
  const open = decisions
    .flatMap(({ all, doubts }) => (isUnclear ? all : all.filter((one) => isOpen(one, doubts))))
    .map((one) => [statementKey(one), rivals.get(one)!] as const);
  if (!isPeek) return Object.fromEntries(open);
  const isOfPeek = ({ isNumber, isUnnumbered }: Rival) => isNumber || isUnnumbered;
  const others = Object.entries(memory.rivals).filter(([, rival]) => !isOfPeek(rival));
  return Object.fromEntries([...others, ...open.filter(([, rival]) => isOfPeek(rival))]);
}

/** Adds the times of the pages that showed the latest changes, and forgets anime that left long ago. */
export function rememberSeen(
  seen: BeliefMemory['seen'],
  changed: readonly (readonly [string, number])[],
  listed: ReadonlyMap<string, OngoingAnime>,
  now: number,
): BeliefMemory['seen'] {
  const all = Object.entries({ ...seen, ...Object.fromEntries(changed) });
  return Object.fromEntries(
    all.filter(([slug, at]) => listed.has(slug) || at > now - SEEN_KEPT_MS).slice(-MAX_SEEN),
  );
}
