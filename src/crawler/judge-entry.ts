import type { ScheduledAnime } from '../domain/listing.ts';
import type { CardFault } from '../source/source.ts';
import { areSimilar, titleKey } from './compare-titles.ts';
import type { Corrections } from './corrections.ts';
import { type Evidence, mayDaysDiffer } from './evidence.ts';

/** Says what of an entry of the schedule contradicts the ongoing list; undefined when nothing does. */
export function judgeEntry(
  entry: ScheduledAnime,
  day: string,
  evidence: Evidence,
  corrections: Corrections,
): CardFault | undefined {
  return judgeTitle(entry, evidence) ?? judgeDay(entry, day, evidence, corrections);
}

function judgeTitle({ slug, title }: ScheduledAnime, evidence: Evidence): CardFault | undefined {
  const { titles, knownTitles, alts } = evidence;
  const key = titleKey(title);
  const said = titles.keys.get(slug) ?? knownTitles.keys.get(slug) ?? key;
  const isElsewhere = said !== key && (titles.all.has(key) || knownTitles.all.has(key));
  if (areSimilar(said, key) && !isElsewhere) return undefined;
  if ([knownTitles, alts].some(({ keys }) => keys.get(slug) === key)) return undefined;
  const against = titles.keys.has(slug) ? 'the ongoing list' : 'the last good schedule';
  return { field: 'title', found: title, against };
}

function judgeDay(
  { slug }: ScheduledAnime,
  day: string,
  evidence: Evidence,
  corrections: Corrections,
): CardFault | undefined {
  if (!evidence.otherDays.has(slug) || evidence.knownDays.get(slug)?.has(day)) return undefined;
  if (mayDaysDiffer(evidence) && corrections.hasLasted(slug, 'scheduled day', day)) return undefined;
  return { field: 'day', found: day, against: 'the ongoing list' };
}
