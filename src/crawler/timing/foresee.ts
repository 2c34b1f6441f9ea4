import { historyOf } from '../../belief/releases.ts';
import type { AnimeRecord } from '../../domain/anime-record.ts';
import type { Medium } from '../../domain/broadcast.ts';
import type { EpisodeHistory, Expectations } from '../../domain/episode-history.ts';
import type { Snapshot } from '../../domain/listing.ts';
import type { Status } from '../source-state.ts';
import { expectEpisode } from './expected-times.ts';

/** What came and what comes, by what is believed at this moment. */
export interface Foreseen {
  history: EpisodeHistory;
  expected: Expectations;
  /** What a calendar of broadcasts adds; absent where there is none. */
  calendar?: {
    /** When it was read, ms since 1970. */
    readAt: number;
    /** By slug. */
    media: ReadonlyMap<string, Medium>;
    assumed: Readonly<Record<string, AnimeRecord['assumed']>>;
  };
}

/** Says what is foreseen of what is believed; `now`: ms since 1970. */
export type Foresee = (
  believed: {
    snapshot: Pick<Snapshot, 'ledger' | 'details' | 'ongoing' | 'schedule'>;
    status: Pick<Status, 'state' | 'readAt'>;
  },
  now: number,
) => Foreseen;

/** By the times of the source alone. */
export const foresee: Foresee = ({ snapshot: { ledger, ongoing, details = {} } }, now) => {
  const history = historyOf(ledger);
  const pairs = ongoing.flatMap(({ slug }) => {
    const next = expectEpisode(history[slug] ?? [], now, details[slug]?.details);
    return next === undefined ? [] : [[slug, next] as const];
  });
  return { history, expected: Object.fromEntries(pairs) };
};
