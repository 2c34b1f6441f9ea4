import type { ScheduledAnime } from '../../domain/listing.ts';
import type { CardFault } from '../../source/source.ts';
import { areSimilar, titleKey } from './compare-titles.ts';
import type { Corrections } from './corrections.ts';
import { type CrawlIndex, mayDaysDiffer } from './crawl-index.ts';

/** Returns the first field of an entry of the schedule that contradicts the ongoing list; undefined when none does. */
export function findEntryFault(
  entry: ScheduledAnime,
  day: string,
  index: CrawlIndex,
  corrections: Corrections,
): CardFault | undefined {
  return findTitleFault(entry, index) ?? findDayFault(entry, day, index, corrections);
}

function findTitleFault({ slug, title }: ScheduledAnime, index: CrawlIndex): CardFault | undefined {
  const { titles, knownTitles, alts } = index;
  const key = titleKey(title);
  const expected = titles.keys.get(slug) ?? knownTitles.keys.get(slug) ?? key;
  const isElsewhere = expected !== key && (titles.all.has(key) || knownTitles.all.has(key));
  if (areSimilar(expected, key) && !isElsewhere) return undefined;
  if ([knownTitles, alts].some(({ keys }) => keys.get(slug) === key)) return undefined;
  const against = titles.keys.has(slug) ? 'the ongoing list' : 'the last good schedule';
  return { field: 'title', found: title, against };
}

function findDayFault(
  { slug }: ScheduledAnime,
  day: string,
  index: CrawlIndex,
  corrections: Corrections,
): CardFault | undefined {
  if (!index.otherDays.has(slug) || index.knownDays.get(slug)?.has(day)) return undefined;
  if (mayDaysDiffer(index) && corrections.confirm(slug, 'scheduled day', day)) return undefined;
  return { field: 'day', found: day, against: 'the ongoing list' };
}
