import { expectEpisode } from '../../src/belief/expectations/expected-times.ts';
import type { EpisodeHistory } from '../../src/domain/episode-history.ts';
import { WEEK_MS } from '../../src/domain/units.ts';
import type { Release } from './releases.ts';

const MAX_RELEASES = 13;

type Learn = (releases: readonly Release[]) => EpisodeHistory;

interface Foreseen {
  /** How far each expected time is from the release. */
  errorsMs: number[];
  /** How many of these releases came in their window. */
  inWindow: number;
  /** How many anime had a release, expected or not. */
  releases: number;
}

/**
 * Expects the first episode of each anime in the week from `from` on (ms since 1970) by the earlier releases alone.
 * `learn` returns the service's knowledge of each.
 */
export function foresee(all: readonly Release[], from: number, learn: Learn = sightings): Foreseen {
  const history = learn(all.filter(({ at }) => at < from));
  const heldOut = all.filter(({ at }) => at >= from && at < from + WEEK_MS);
  const first = new Map(heldOut.toReversed().map(({ slug, at }) => [slug, at]));
  const expected = [...first].flatMap(([slug, at]) => {
    const next = expectEpisode({ releases: history[slug] ?? [] }, { readAt: from, now: from });
    return next ? [{ at, next }] : [];
  });
  return {
    errorsMs: expected.map(({ at, next }) => Math.abs(at - next.expectedAt)),
    inWindow: expected.filter(({ at, next }) => at >= next.earliest && at <= next.latest).length,
    releases: first.size,
  };
}

/** The history of a service that saw these releases. */
export const sightings: Learn = (releases) => learnBy(releases, 'seenAt');

/** The history of a service that reads the pages of these anime in time. */
export const exactly: Learn = (releases) => learnBy(releases, 'releasedAt');

function learnBy(releases: readonly Release[], time: 'seenAt' | 'releasedAt'): EpisodeHistory {
  const bySlug = Map.groupBy(releases.toReversed(), ({ slug }) => slug);
  return Object.fromEntries(
    [...bySlug].map(([slug, own]) => [
      slug,
      own.slice(0, MAX_RELEASES).map(({ episode, at }) => ({ episode, [time]: at })),
    ]),
  );
}
