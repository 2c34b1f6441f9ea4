import type { OngoingAnime } from '../domain/listing.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { shortDate, startOfSourceDate } from '../domain/source-date.ts';
import { releasesOf } from './releases.ts';

/**
 * The ongoing list with the newest episode that is believed of each anime. The list of the source is one witness of it, the
 * page of the anime is another.
 */
export function believedOngoing({ ongoing, ledger }: Pick<Snapshot, 'ongoing' | 'ledger'>): OngoingAnime[] {
  return ongoing.map((anime) => {
    const evidence = ledger[anime.slug];
    const [newest] = evidence ? releasesOf(evidence) : [];
    if (!newest || newest.episode === anime.episode) return anime;
    const { isLast: _, ...record } = anime;
    return {
      ...record,
      episode: newest.episode,
      ...(newest.date && { date: shortDate(startOfSourceDate(newest.date)) }),
      ...(newest.isLast && { isLast: newest.isLast }),
    };
  });
}
