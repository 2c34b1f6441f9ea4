import { recordEpisodes } from '../../src/crawler/episode-history.ts';
import { expectEpisode } from '../../src/crawler/timing/expected-times.ts';
import { type EpisodeHistory, type EpisodeRelease, sourceDate } from '../../src/domain/episode-history.ts';
import type { Release } from './releases.ts';

const WEEK_MS = 7 * 86_400_000;
const MAX_RELEASES = 13;

/** What is known of releases: sightings, exact times, or on the first day, one exact time and the days of the others. */
export type Knowledge = 'seen' | 'exact' | 'first day';

export interface Foreseen {
  /** How far each expected time is from the release. */
  errorsMs: number[];
  /** How many of these releases came in their window. */
  inWindow: number;
  /** How many anime had a release, expected or not. */
  releases: number;
}

/** Expects the first episode of each anime in the week from `from` on (ms since 1970) by the releases before it alone. */
export function foresee(all: readonly Release[], from: number, knowledge: Knowledge = 'seen'): Foreseen {
  const history = historyOf(
    all.filter(({ at }) => at < from),
    knowledge,
  );
  const heldOut = all.filter(({ at }) => at >= from && at < from + WEEK_MS);
  const first = new Map(heldOut.toReversed().map(({ slug, at }) => [slug, at]));
  const expected = [...first].flatMap(([slug, at]) => {
    const next = expectEpisode({ releases: history[slug] ?? [] }, from);
    return next ? [{ at, next }] : [];
  });
  return {
    errorsMs: expected.map(({ at, next }) => Math.abs(at - next.expectedAt)),
    inWindow: expected.filter(({ at, next }) => at >= next.earliest && at <= next.latest).length,
    releases: first.size,
  };
}

/** The history that the service has after these releases. */
export function historyOf(releases: readonly Release[], knowledge: Knowledge): EpisodeHistory {
  if (knowledge === 'seen')
    return releases.reduce<EpisodeHistory>((known, { slug, at }, episode) => {
      const change = { type: 'new-episode', slug, title: slug, episode, day: 'None' } as const;
      return recordEpisodes(known, [change], at);
    }, {});
  const numbered = releases.map((release, episode) => ({ ...release, episode })).reverse();
  const bySlug = Object.groupBy(numbered, ({ slug }) => slug);
  return Object.fromEntries(
    Object.entries(bySlug).map(([slug, own = []]) => [
      slug,
      own.slice(0, MAX_RELEASES).map(({ episode, at }, index): EpisodeRelease => {
        const isExact = knowledge === 'exact' || index === 0;
        return { episode, date: sourceDate(at), ...(isExact && { releasedAt: at }) };
      }),
    ]),
  );
}
