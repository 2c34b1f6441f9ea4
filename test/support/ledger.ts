import type { EpisodeHistory, EpisodeRelease } from '../../src/domain/episode-history.ts';
import { type Claim, type Ledger, sortClaims } from '../../src/domain/ledger.ts';
import { sourceDate } from '../../src/domain/source-date.ts';

/** A ledger that has this history. */
export function ledgerOf(history: EpisodeHistory): Ledger {
  return Object.fromEntries(
    Object.entries(history).map(([slug, releases]) => [slug, sortClaims(releases.map(claimOf))]),
  );
}

function claimOf({ episode, seenAt, releasedAt, date }: EpisodeRelease): Claim {
  return {
    episode,
    ...(seenAt !== undefined && { card: { date: date ?? sourceDate(seenAt), at: seenAt, after: seenAt } }),
    ...(date !== undefined && { row: date }),
    ...(releasedAt !== undefined && { releasedAt }),
  };
}
