import { type Foresee, foresee } from '../../belief/expectations/foresee.ts';
import type { ExpectedEpisode } from '../../domain/episode-history.ts';
import { datedBefore, sourceDate } from '../../domain/source-date.ts';
import { DAY_MS, HOUR_MS, WEEK_MS } from '../../domain/units.ts';
import type { Status } from '../../store/source-status.ts';
import type { RefreshTimer } from './cron.ts';

/** The probability that an episode comes in its window, and in the hour after it. */
const IN_WINDOW = 0.85;
const AFTER_WINDOW = 0.15;
/** Peeks come at most this many times as often as REFRESH_PEEK, and at most this many times as far apart. */
const MAX_SPEEDUP = 3;
const MAX_SLOWDOWN = 2;
/** How many peeks a day is planned with, as a share of one every REFRESH_PEEK: windows end when their episode comes. */
const SHARE_OF_DAY = 1.26;

/** The longest backoff: this many intervals of the timer, and six hours at most. */
const MAX_BACKOFF_INTERVALS = 8;
const MAX_BACKOFF_MS = 6 * HOUR_MS;

/** The jitter of a peek, as a share of the time between two. */
const MAX_JITTER = 1 / 10;
/** A peek waits for a crawl that comes within half as long again. */
const WAIT_FOR_CRAWL = 1 / 2;
/** So two are at most this many times REFRESH_PEEK apart. A stored time that is further away is of another REFRESH_PEEK. */
const MAX_PEEK_INTERVALS = MAX_SLOWDOWN * (1 + MAX_JITTER) * (1 + WAIT_FOR_CRAWL);
/** An anime without an episode for longer needs no expected time: two thirds of the list are like that. */
const AIRING_MS = 28 * DAY_MS;
/** Peeks may lead to one crawl for this many peeks: at the default of three minutes, to eight a day. */
const PEEKS_FOR_A_CRAWL = 60;

/** When the source may be asked; ms, and ms since 1970. */
export interface RefreshTimes {
  /** When the timer crawls next after a crawl that ends now; null without a timer. */
  nextCrawl(): number | null;
  /** When page 1 is read next after an attempt that ends now; null without peeks. */
  nextPeek(snapshot: Parameters<Foresee>[0]['snapshot']): number | null;
  /** The time between two attempts, for the backoff; 0 without a timer. */
  intervalMs: number;
  /** The longest backoff. */
  maxMs: number;
  /** How many crawls a day peeks may lead to. */
  maxPeekCrawls: number;
  /**
   * The next refresh: a crawl at the first fire time after `since`, after the last crawl of any process and after its
   * backoff, so several missed crawls lead to one; without a snapshot also when the backoff ends, and after the store
   * failed, at `storeRetryAt`. Else a peek. Undefined without a timer.
   */
  nextAttempt(
    status: Status,
    hasSnapshot: boolean,
    since: number,
    storeRetryAt?: number | null,
  ): { at: number; isPeek: boolean } | undefined;
}

/**
 * `timer`: undefined in a process that does not crawl on a schedule. `peekMs`: the time between two peeks; null for none.
 * `now`: wall clock, ms since 1970. `random`: 0 to 1.
 */
export function createRefreshTimes(
  timer: RefreshTimer | undefined,
  peekMs: number | null,
  now: () => number,
  random: () => number,
  foreseen: Foresee = foresee,
): RefreshTimes {
  const crawlMs = timer?.intervalMs ?? 0;
  return {
    nextCrawl: () => timer?.fireTimeAfter(now()) ?? null,
    nextPeek(snapshot) {
      if (!timer || peekMs === null) return null;
      const { expected } = foreseen({ snapshot, status: { state: 'ok', readAt: now() } }, now());
      const airingSince = sourceDate(now() - AIRING_MS);
      const unforeseen = snapshot.ongoing.filter(
        ({ slug, date }) => !expected[slug] && datedBefore(date, now()) > airingSince,
      ).length;
      const windows = Object.values(expected).filter((one) => one !== null);
      const waitMs = planPeek({ expected: windows, unforeseen, peekMs, now: now() });
      const at = Math.round(now() + waitMs * (1 + MAX_JITTER * random()));
      const crawlAt = timer.fireTimeAfter(now());
      return crawlAt - at < waitMs * WAIT_FOR_CRAWL ? crawlAt : at;
    },
    intervalMs: peekMs === null ? crawlMs : Math.min(peekMs, crawlMs),
    maxMs: Math.min(MAX_BACKOFF_INTERVALS * crawlMs, MAX_BACKOFF_MS),
    maxPeekCrawls: peekMs === null ? 0 : Math.ceil(DAY_MS / peekMs / PEEKS_FOR_A_CRAWL),
    nextAttempt(status, hasSnapshot, since, storeRetryAt = null) {
      if (!timer) return undefined;
      const { crawledAt, failures } = status.attempts;
      const retryAt = status.attempts.retryAt ?? 0;
      const fireAt = timer.fireTimeAfter(Math.max(since, crawledAt ?? 0, retryAt - 1));
      const repeatAt = !hasSnapshot && failures > 0 ? retryAt : Infinity;
      const crawlAt = Math.min(fireAt, storeRetryAt ?? repeatAt);
      const hasPeeks = hasSnapshot && peekMs !== null && storeRetryAt === null;
      const peekAt = hasPeeks ? nextPeekAt(status, peekMs) : Infinity;
      const isPeek = crawlAt > now() && peekAt < crawlAt;
      return { at: isPeek ? peekAt : crawlAt, isPeek };
    },
  };
}

/** When the next peek is due, ms since 1970; Infinity before the first attempt. */
function nextPeekAt({ health, attempts, due }: Status, peekMs: number): number {
  const { attemptedAt, retryAt } = attempts;
  const { dueAt, peekDueAt } = due;
  if (attemptedAt === null) return Infinity;
  if (health.state !== 'ok') return Math.max(attemptedAt + peekMs, retryAt ?? 0);
  const isPostponed = peekDueAt === null || peekDueAt <= attemptedAt;
  const at = isPostponed
    ? attemptedAt + peekMs
    : Math.min(peekDueAt, attemptedAt + MAX_PEEK_INTERVALS * peekMs);
  // A crawl at the same moment includes the peek.
  return at === dueAt ? at + peekMs : at;
}

interface PeekPlan {
  /** The expected episodes. */
  expected: readonly Pick<ExpectedEpisode, 'earliest' | 'latest'>[];
  /** How many anime have had an episode lately, and have no expected time. */
  unforeseen: number;
  /** The time between two peeks where nothing is expected. */
  peekMs: number;
  /** ms since 1970 */
  now: number;
}

/**
 * How long to wait for the next peek, ms. The sum of all waits for an episode is smallest when the times between peeks are
 * inversely proportional to the square root of how probable an episode is. The peeks of a day are spread by that rule, so
 * that expected times move peeks and add none.
 */
export function planPeek(plan: PeekPlan): number {
  const { peekMs } = plan;
  const spans = listSpans(plan);
  const [first, second] = spans;
  if (!first || !second) return peekMs;
  const roots = spans.reduce((sum, { ms, density }) => sum + ms * Math.sqrt(density), 0);
  const waitMs = (peekMs / DAY_MS / SHARE_OF_DAY) * (roots / Math.sqrt(first.density));
  // A peek does not pass over the beginning of a window.
  const untilDenser = second.density > first.density ? first.ms : Infinity;
  return Math.min(Math.max(Math.min(waitMs, untilDenser), peekMs / MAX_SPEEDUP), peekMs * MAX_SLOWDOWN);
}

/** The next day, cut where the probability of an episode changes. `density`: episodes in a millisecond. */
function listSpans({ expected, unforeseen, now }: PeekPlan): { ms: number; density: number }[] {
  const end = now + DAY_MS;
  const outside = Math.max(unforeseen + (1 - IN_WINDOW) * expected.length, 1) / WEEK_MS;
  const windows = expected.flatMap(({ earliest, latest }) => [
    { from: earliest, to: latest, episodes: IN_WINDOW },
    { from: latest, to: latest + HOUR_MS, episodes: AFTER_WINDOW },
  ]);
  const bounds = windows.flatMap(({ from, to }) => [from, to]).filter((at) => at > now && at < end);
  const cuts = [...new Set([now, ...bounds, end])].sort((a, b) => a - b);
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index] ?? now;
    const covering = windows.filter((window) => window.from <= from && window.to >= to);
    const density = covering.reduce((sum, one) => sum + one.episodes / (one.to - one.from), outside);
    return { ms: to - from, density };
  });
}
