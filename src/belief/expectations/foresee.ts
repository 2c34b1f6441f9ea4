import type { AnimeRecord } from '../../domain/anime-record.ts';
import type { Medium } from '../../domain/broadcast.ts';
import type { EpisodeHistory, Expectations, UnnumberedRelease } from '../../domain/episode-history.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { historyOf, unnumberedDays } from '../releases.ts';
import { expectEpisode } from './expected-times.ts';

/** Past and coming releases, by the current belief. */
export interface Foreseen {
  history: EpisodeHistory;
  /** What came without a number, by slug. */
  unnumbered: UnnumberedHistory;
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

type UnnumberedHistory = Readonly<Record<string, readonly UnnumberedRelease[]>>;

type Believed = Parameters<Foresee>[0];

/** Computes past and coming releases from the belief; `now`: ms since 1970. */
export type Foresee = (
  believed: {
    snapshot: Pick<Snapshot, 'ledger' | 'details' | 'ongoing' | 'ongoingChangedAt' | 'schedule'>;
    /** How the source was at the last attempt, and what moment the last good reading shows, ms since 1970. */
    status: { state: string | null; readAt: number | null };
  },
  now: number,
) => Foreseen;

/** By the times of the source alone. */
export const foresee: Foresee = (believed, now) => {
  const { ledger, ongoing, details = {} } = believed.snapshot;
  const history = historyOf(ledger);
  const unnumbered = unnumberedOf(ledger);
  const moment = { readAt: lastReadAt(believed), now };
  const pairs = ongoing.flatMap(({ slug }) => {
    const basis = {
      releases: history[slug] ?? [],
      unnumbered: unnumbered[slug],
      details: details[slug]?.details,
    };
    const next = expectEpisode(basis, moment);
    return next === undefined ? [] : [[slug, next] as const];
  });
  return { history, unnumbered, expected: Object.fromEntries(pairs) };
};

/** The days on which something came that has no number, of the anime that have such. */
function unnumberedOf(ledger: Snapshot['ledger']): UnnumberedHistory {
  const days = Object.entries(ledger).map(([slug, evidence]) => [slug, unnumberedDays(evidence)] as const);
  return Object.fromEntries(days.filter(([, { length }]) => length > 0));
}

/** The moment that the last good reading shows. Where the status has forgotten it, the list was read when it last changed. */
export function lastReadAt({ snapshot, status }: Believed): number {
  return status.readAt ?? snapshot.ongoingChangedAt;
}
