import { recordEpisodes } from '../../src/crawler/episode-history.ts';
import { expectEpisode } from '../../src/crawler/timing/expected-times.ts';
import type { EpisodeHistory } from '../../src/domain/episode-history.ts';
import type { Release } from './releases.ts';

const WEEK_MS = 7 * 86_400_000;

/**
 * Expects the episodes of the week from `from` on (ms since 1970) by the releases before it alone. `errorsMs` has how far
 * each expected time is from the first release of its anime in that week; `releases` counts these anime, expected or not.
 */
export function foresee(all: readonly Release[], from: number): { errorsMs: number[]; releases: number } {
  const history = all
    .filter(({ at }) => at < from)
    .reduce<EpisodeHistory>((known, { slug, at }, episode) => {
      const change = { type: 'new-episode', slug, title: slug, episode, day: 'None' } as const;
      return recordEpisodes(known, [change], at);
    }, {});
  const heldOut = all.filter(({ at }) => at >= from && at < from + WEEK_MS);
  const first = new Map(heldOut.toReversed().map(({ slug, at }) => [slug, at]));
  const errorsMs = [...first].flatMap(([slug, at]) => {
    const next = expectEpisode({ releases: history[slug] ?? [] }, from);
    return next ? Math.abs(at - next.expectedAt) : [];
  });
  return { errorsMs, releases: first.size };
}
