import type { EpisodeHistory, EpisodeRelease } from '../../src/domain/episode-history.ts';
import type { Evidence, Ledger } from '../../src/domain/ledger.ts';
import { sourceDate } from '../../src/domain/source-date.ts';

/** A ledger that has this history: sightings on cards, and days and times on pages. */
export function ledgerOf(history: EpisodeHistory): Ledger {
  return Object.fromEntries(Object.entries(history).map(([slug, releases]) => [slug, evidenceOf(releases)]));
}

function evidenceOf(releases: readonly EpisodeRelease[]): Evidence {
  const seen = releases.filter(({ seenAt }) => seenAt !== undefined).toReversed();
  const dated = releases.filter(({ date, releasedAt }) => date !== undefined || releasedAt !== undefined);
  const rows = dated.map(({ episode, date, releasedAt, isLast }) => ({
    episode,
    date: date ?? sourceDate(releasedAt!),
    ...(releasedAt !== undefined && { releasedAt }),
    ...(isLast && { isLast }),
  }));
  const cards = seen.map(({ episode, date, seenAt }) => ({
    episode,
    date: date ?? sourceDate(seenAt!),
    at: seenAt!,
    after: seenAt!,
  }));
  return { cards, ...(rows.length > 0 && { page: { at: 0, rows, specials: [] } }), told: [] };
}
