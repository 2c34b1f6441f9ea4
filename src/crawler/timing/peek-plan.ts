import type { ExpectedEpisode } from '../../domain/episode-history.ts';
import { DAY_MS } from '../../domain/units.ts';

/** Around an expected time, peeks come at most this many times as often. */
const MAX_SPEEDUP = 3;
/** Elsewhere, peeks are at most this many times as far apart, if most airing anime have an expected time. */
const SLOWDOWN = 2;
const MIN_COVERAGE = 1 / 2;

interface PeekPlan {
  /** The expected episodes. */
  expected: readonly Pick<ExpectedEpisode, 'earliest' | 'latest'>[];
  /** How many anime of the list have had an episode lately. */
  airing: number;
  /** The time between two peeks where nothing is expected. */
  peekMs: number;
  now: number;
}

/**
 * How long to wait for the next peek, ms. Expected times only move peeks: a day has no more of them than with one every
 * `peekMs`. Windows take theirs from the rest of the day.
 */
export function planPeek({ expected, airing, peekMs, now }: PeekPlan): number {
  const windows = mergeWindows(expected, now, now + DAY_MS);
  const insideMs = windows.reduce((sum, [from, to]) => sum + to - from, 0);
  const isCovered = expected.length > airing * MIN_COVERAGE;
  const { fastMs, slowMs } = isCovered
    ? spreadPeeks(insideMs, DAY_MS / peekMs - windows.length, peekMs)
    : { fastMs: peekMs, slowMs: peekMs };
  const untilWindowMs = (windows[0]?.[0] ?? Infinity) - now;
  return untilWindowMs > 0 ? Math.min(slowMs, Math.max(untilWindowMs, fastMs)) : fastMs;
}

/** Splits the peeks of a day: as often as they may come in the windows, as long as the others stay frequent enough. */
function spreadPeeks(insideMs: number, peeks: number, peekMs: number): { fastMs: number; slowMs: number } {
  const outsideMs = DAY_MS - insideMs;
  const fastestMs = peekMs / MAX_SPEEDUP;
  const left = peeks - insideMs / fastestMs;
  const slowMs = left > 0 ? Math.min(outsideMs / left, SLOWDOWN * peekMs) : SLOWDOWN * peekMs;
  const fastMs = insideMs / (peeks - outsideMs / slowMs);
  return { slowMs, fastMs: fastMs > 0 ? Math.min(Math.max(fastMs, fastestMs), peekMs) : peekMs };
}

/** The windows between two moments, in order, without overlaps. */
function mergeWindows(windows: PeekPlan['expected'], start: number, end: number): [number, number][] {
  const merged: [number, number][] = [];
  for (const { earliest, latest } of windows.toSorted((a, b) => a.earliest - b.earliest)) {
    const [from, to] = [Math.max(earliest, start), Math.min(latest, end)];
    const last = merged.at(-1);
    if (from >= to) continue;
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
