import type { OngoingAnime } from '../../domain/listing.ts';
import type { CardFault } from '../../source/source.ts';
import { areSimilar, coverPath, sharesWord, titleKey } from './compare-titles.ts';
import type { Corrections } from './corrections.ts';
import { type CrawlIndex, type Listed, mayDaysDiffer, moveKey, type TitleIndex } from './crawl-index.ts';
import { mayBeCorrection } from './misplaced.ts';

/** A larger step from the last good episode counts as a typing error until enough crawls confirm it. */
const MAX_EPISODES_AT_ONCE = 50;

/**
 * Returns the first field of a card that contradicts the other pages or the last good list; undefined when none does. A
 * value that is only unlikely is accepted once enough crawls confirm it.
 */
export function findCardFault(
  card: Listed,
  index: CrawlIndex,
  corrections: Corrections,
): CardFault | undefined {
  return (
    findIdentityFault(card, index, corrections) ??
    findDayFault(card, index, corrections) ??
    findEpisodeFault(card, index, corrections)
  );
}

/** Checks that the title, the cover and the address belong to one anime. */
function findIdentityFault(card: Listed, index: CrawlIndex, corrections: Corrections): CardFault | undefined {
  const { title, slug, image } = card.anime;
  const key = titleKey(title);
  const before = index.known.get(slug);
  const isSameTitle = before !== undefined && titleKey(before.title) === key;
  const isSameCover = before !== undefined && coverPath(before.image) === coverPath(image);
  if (isSameTitle && isSameCover) return undefined;

  const [field, found] = isSameTitle ? ['image', image] : ['title', title];
  const contradicting = findContradicting(slug, key, index);
  if (contradicting) return { field, found, against: contradicting.name };
  if (!isSameTitle) {
    const against = before ? findNewTitleConflict(card, index) : findFirstTitleConflict(card, index);
    const mayCorrect = mayBeCorrection(index.misplaced.titles);
    if (against && !(mayCorrect && corrections.confirm(slug, 'title', key)))
      return { field: 'title', found: title, against };
  }
  if (isSameCover || !hasForeignCover(card, index)) return undefined;
  if (mayBeCorrection(index.misplaced.covers) && corrections.confirm(slug, 'image', coverPath(image)))
    return undefined;
  return { field: 'image', found: image, against: "another anime's card" };
}

/** Finds an index that has another title for this anime, and this title for another anime. */
function findContradicting(slug: string, key: string, index: CrawlIndex): TitleIndex | undefined {
  const { alts, scheduled, slugs, files, titles } = index;
  const naming = [alts, scheduled].find((one) => isElsewhere(one, slug, key));
  // Few addresses and files spell a title, so these two count only when they spell that of another card.
  const spells = (one: TitleIndex) => titles.all.has(one.keys.get(slug) ?? '') && isElsewhere(one, slug, key);
  return naming ?? [slugs, files].find(spells);
}

function isElsewhere({ keys, all }: TitleIndex, slug: string, key: string): boolean {
  return (keys.get(slug) ?? key) !== key && all.has(key);
}

/** Whether the cover belonged to another anime, or is shared with one while its text names something else. */
function hasForeignCover({ anime, alt }: Listed, { misplaced, coverCounts }: CrawlIndex): boolean {
  if (misplaced.covers.has(anime.slug)) return true;
  const isShared = (coverCounts.get(coverPath(anime.image)) ?? 0) > 1;
  return isShared && alt !== '' && !areSimilar(titleKey(alt), titleKey(anime.title));
}

/** A new title must agree with the schedule or, for an anime that is not in it, with the cover's text. */
function findNewTitleConflict({ anime, alt }: Listed, index: CrawlIndex): string | undefined {
  const { scheduled, known, knownTitles, misplaced } = index;
  const key = titleKey(anime.title);
  if (misplaced.titles.has(anime.slug)) return knownTitles.name;
  if (areSimilar(titleKey(known.get(anime.slug)?.title ?? ''), key)) return undefined;
  return areSimilar(scheduled.keys.get(anime.slug) ?? titleKey(alt), key) ? undefined : 'the last good list';
}

/** The title of an anime that is not known yet must agree with the cover's text or with the schedule. */
function findFirstTitleConflict({ anime, alt }: Listed, { scheduled }: CrawlIndex): string | undefined {
  const key = titleKey(anime.title);
  const isLikeAlt = areSimilar(titleKey(alt), key);
  const scheduledKey = scheduled.keys.get(anime.slug);
  if (isLikeAlt || (scheduledKey && areSimilar(scheduledKey, key))) return undefined;
  if (scheduledKey) return scheduled.name;
  const altFits = sharesWord(anime.slug, alt) && !sharesWord(anime.slug, anime.title);
  return altFits ? "the cover's text" : undefined;
}

/** A day is a fault when the schedule and the last good list both have another one. */
function findDayFault({ anime }: Listed, index: CrawlIndex, corrections: Corrections): CardFault | undefined {
  const { slug, day } = anime;
  if (!index.otherDays.has(slug) || index.known.get(slug)?.day === day) return undefined;
  if (mayDaysDiffer(index) && corrections.confirm(slug, 'day', day)) return undefined;
  return { field: 'day', found: day, against: 'the schedule' };
}

function findEpisodeFault({ anime }: Listed, index: CrawlIndex, corrections: Corrections) {
  const { slug, episode } = anime;
  const before = index.known.get(slug);
  if (!before || !isOddEpisode(anime, before, index)) return undefined;
  if (corrections.confirm(slug, 'episode', `${episode}`)) return undefined;
  return {
    field: 'episode',
    found: `${episode}`,
    against: `the last good list, which has ${before.episode}`,
  };
}

/** Whether the episode jumps, falls back with its date as on a stale page, or was exchanged with another anime's. */
function isOddEpisode(now: OngoingAnime, before: OngoingAnime, index: CrawlIndex): boolean {
  if (now.episode > before.episode + MAX_EPISODES_AT_ONCE) return true;
  if (now.episode < before.episode && now.date !== before.date) return true;
  const isChanged = now.episode !== before.episode;
  return isChanged && index.episodeMoves.has(moveKey(now.episode, before.episode));
}
