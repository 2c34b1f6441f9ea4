import type { ExpectedEpisode } from '../../domain/episode-history.ts';
import { DAY_MS, HOUR_MS, WEEK_MS } from '../../domain/units.ts';

/** Peeks come at most this many times as often as REFRESH_PEEK, and at most this many times as far apart. */
const MAX_SPEEDUP = 3;
export const MAX_SLOWDOWN = 2;
/** The probability that an episode comes in its window, and in the hour after it; that of one which is late already. */
const IN_WINDOW = 0.85;
const AFTER_WINDOW = 0.08;
const WHEN_LATE = 0.5;
/** How many peeks a day is planned with, as a share of one every REFRESH_PEEK: windows end when their episode comes. */
const SHARE_OF_DAY = 1.22;
/** Enough for a result that is right to a thousandth. */
const BISECTIONS = 12;

interface PeekPlan {
  /** The expected episodes. */
  expected: readonly Pick<ExpectedEpisode, 'earliest' | 'latest' | 'late'>[];
  /** How many anime of the list have had an episode lately. */
  airing: number;
  /** The time between two peeks where nothing is expected. */
  peekMs: number;
  /** ms since 1970 */
  now: number;
}

/** A span of time in which episodes are equally probable. */
interface Span {
  ms: number;
  /** Episodes in a millisecond. */
  density: number;
}

/**
 * How long to wait for the next peek, ms. The sum of all waits for an episode is smallest when the times between peeks are
 * inversely proportional to the square root of how probable an episode is. The peeks of a day are spread by that rule, so
 * that expected times move peeks and add none.
 */
export function planPeek(plan: PeekPlan): number {
  const { peekMs, expected } = plan;
  if (expected.length === 0) return peekMs;
  const spans = listSpans(plan);
  const [shortestMs, longestMs] = [peekMs / MAX_SPEEDUP, peekMs * MAX_SLOWDOWN];
  const waitIn = ({ density }: Span, scale: number) =>
    Math.min(Math.max(scale / Math.sqrt(density), shortestMs), longestMs);
  const peeks = (scale: number) => spans.reduce((sum, span) => sum + span.ms / waitIn(span, scale), 0);
  const roots = spans.map(({ density }) => Math.sqrt(density));
  let [low, high] = [shortestMs * Math.min(...roots), longestMs * Math.max(...roots)];
  for (let step = 0; step < BISECTIONS; step += 1) {
    const middle = (low + high) / 2;
    if (peeks(middle) > (DAY_MS / peekMs) * SHARE_OF_DAY) low = middle;
    else high = middle;
  }
  const [first, second] = spans;
  const waitMs = first ? waitIn(first, high) : peekMs;
  // A peek does not pass over the beginning of a window.
  return first && second && second.density > first.density
    ? Math.max(Math.min(waitMs, first.ms), shortestMs)
    : waitMs;
}

/** The next day, cut where the probability of an episode changes. */
function listSpans({ expected, airing, now }: PeekPlan): Span[] {
  const end = now + DAY_MS;
  const unforeseen = Math.max(airing - IN_WINDOW * expected.length, 1) / WEEK_MS;
  const windows = expected.flatMap(({ earliest, latest, late }) => [
    { from: earliest, to: latest, episodes: IN_WINDOW },
    { from: latest, to: latest + HOUR_MS, episodes: late ? WHEN_LATE : AFTER_WINDOW },
  ]);
  const bounds = windows.flatMap(({ from, to }) => [from, to]).filter((at) => at > now && at < end);
  const cuts = [...new Set([now, ...bounds, end])].sort((a, b) => a - b);
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index] ?? now;
    const covering = windows.filter((window) => window.from <= from && window.to >= to);
    const density = covering.reduce((sum, one) => sum + one.episodes / (one.to - one.from), unforeseen);
    return { ms: to - from, density };
  });
}
