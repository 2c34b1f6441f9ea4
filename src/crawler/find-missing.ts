import { type Listing, listEntries } from '../domain/listing.ts';
import type { ReadPages } from './belief/reading.ts';

export interface Missing {
  from: 'the ongoing list' | 'the schedule';
  slugs: string[];
}

/**
 * Finds anime that only one of the two listings has, and anime that a page links to outside of its cards. The schedule
 * should have every anime of the ongoing list that has a day (54 of 54 when it was measured), and nothing else shows that
 * a card has vanished. A difference is reported and not refused: the site caches the schedule for up to a day, and a list
 * that lacks one anime serves readers better than one that is a day old. Anime that were missing from the last good
 * listing already are not reported again.
 */
export function findMissing(
  listing: Listing,
  lastGood: Listing | undefined,
  { pages, schedule }: ReadPages,
): Missing[] {
  const listed = slugsOf(listing);
  const known = lastGood && differencesOf(slugsOf(lastGood));
  const differences = differencesOf(listed);
  const fallenOut = pages.flatMap((page) => page.linked).filter((slug) => !listed.ongoing.has(slug));
  const unscheduled = schedule.linked.filter((slug) => !listed.scheduled.has(slug));
  return [
    missing('the ongoing list', [...differences.ongoing, ...fallenOut], known?.ongoing),
    missing('the schedule', [...differences.schedule, ...unscheduled], known?.schedule),
  ].filter(({ slugs }) => slugs.length > 0);
}

function missing(from: Missing['from'], slugs: string[], known: Set<string> | undefined): Missing {
  return { from, slugs: [...new Set(slugs)].filter((slug) => !known?.has(slug)) };
}

interface Slugs {
  ongoing: Set<string>;
  /** Those of the ongoing list that should be in the schedule. */
  withDay: Set<string>;
  scheduled: Set<string>;
}

function slugsOf({ ongoing, schedule }: Listing): Slugs {
  return {
    ongoing: new Set(ongoing.map((anime) => anime.slug)),
    withDay: new Set(ongoing.filter((anime) => anime.day !== 'None').map((anime) => anime.slug)),
    scheduled: new Set(listEntries(schedule).map((anime) => anime.slug)),
  };
}

function differencesOf({ ongoing, withDay, scheduled }: Slugs) {
  return { ongoing: scheduled.difference(ongoing), schedule: withDay.difference(scheduled) };
}
