import { readFile } from 'node:fs/promises';
import type { EpisodeHistory, EpisodeRelease } from '../../src/domain/episode-history.ts';
import { sourceDate } from '../../src/domain/source-date.ts';
import { sightings } from '../../test/support/foresee.ts';
import { numberReleases, type Release } from '../../test/support/releases.ts';

const MAX_RELEASES = 13;

/** The evidence for releases: sightings, exact times, or on the first day, one exact time and the days of the others. */
export type Knowledge = 'seen' | 'exact' | 'first day';

/** The history that the service has after these releases. */
export function historyOf(releases: readonly Release[], knowledge: Knowledge): EpisodeHistory {
  if (knowledge === 'seen') return sightings(releases);
  const bySlug = Object.groupBy(releases.toReversed(), ({ slug }) => slug);
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

/** Reads a file whose lines are a time in ISO 8601, white space and the slug of an anime. */
export async function readReleases(file: string): Promise<Release[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const releases = lines.map((line, index) => {
    const [time = '', slug] = line.trim().split(/\s+/u);
    const at = Date.parse(time);
    if (!slug || Number.isNaN(at))
      throw new Error(`${file}, line ${index + 1}: must be a time in ISO 8601 and a slug`);
    return { slug, at };
  });
  return numberReleases(releases);
}
