import type { OngoingAnime } from '../../domain/listing.ts';
import type { CardFault } from '../../source/source.ts';
import type { Scheduled } from './reading.ts';
import { areSimilar, coverPath, titleKey } from './titles.ts';
import { describeMove, type Witness, type Witnesses } from './witnesses.ts';

/** A larger step from the last good episode counts as a typing error until the page of the anime has it. */
const MAX_STEP = 2;

/**
 * The first field of a card that contradicts the other pages; undefined when none does. Such a card is not believed at once,
 * even where it is alone.
 */
export function doubtCard(anime: OngoingAnime, alt: string, witnesses: Witnesses): CardFault | undefined {
  return doubtIdentity(anime, alt, witnesses) ?? doubtDay(anime, witnesses) ?? doubtEpisode(anime, witnesses);
}

/** The same of an entry of the schedule, which the ongoing list contradicts. */
export function doubtEntry({ slug, title, days }: Scheduled, witnesses: Witnesses): CardFault | undefined {
  const { titles, knownTitles, alts, cards, knownDays } = witnesses;
  const key = titleKey(title);
  const expected = titles.keys.get(slug) ?? knownTitles.keys.get(slug) ?? key;
  const isElsewhere = expected !== key && (titles.all.has(key) || knownTitles.all.has(key));
  const isKnown = [knownTitles, alts].some(({ keys }) => keys.get(slug) === key);
  if (!isKnown && (isElsewhere || !areSimilar(expected, key)))
    return {
      field: 'title',
      found: title,
      against: titles.keys.has(slug) ? 'the ongoing list' : 'the last good schedule',
    };
  const listed = cards.get(slug)?.day;
  const odd = days.find((day) => listed !== undefined && !knownDays.get(slug)?.includes(day));
  if (odd === undefined || days.some((day) => day === listed)) return undefined;
  return { field: 'day', found: odd, against: 'the ongoing list' };
}

/** Checks that the title, the cover and the address belong to one anime. */
function doubtIdentity(
  { title, slug, image }: OngoingAnime,
  alt: string,
  witnesses: Witnesses,
): CardFault | undefined {
  const key = titleKey(title);
  const before = witnesses.known.get(slug);
  const isSameTitle = before !== undefined && titleKey(before.title) === key;
  const isSameCover = before !== undefined && coverPath(before.image) === coverPath(image);
  if (isSameTitle && isSameCover) return undefined;
  const [field, found] = isSameTitle ? ['image', image] : ['title', title];
  const contradicting = findContradicting(slug, key, witnesses);
  if (contradicting) return { field, found, against: contradicting.name };
  const against = !isSameTitle && opposeTitle(slug, title, alt, witnesses);
  if (against) return { field: 'title', found: title, against };
  if (
    isSameCover ||
    !hasForeignCover(slug, image, titleKey(alt) !== '' && !areSimilar(titleKey(alt), key), witnesses)
  )
    return undefined;
  return { field: 'image', found: image, against: "another anime's card" };
}

/** Finds a place that has another title for this anime, and this title for another anime. */
function findContradicting(slug: string, key: string, { alts, scheduled }: Witnesses) {
  const isElsewhere = ({ keys, all }: Witness) => (keys.get(slug) ?? key) !== key && all.has(key);
  return [alts, scheduled].find(isElsewhere);
}

/** Whether the cover belonged to another anime, which has lost it, or is shared with one while its text names another. */
function hasForeignCover(
  slug: string,
  image: string,
  isNamedOtherwise: boolean,
  witnesses: Witnesses,
): boolean {
  const path = coverPath(image);
  const owner = witnesses.owners.get(path) ?? slug;
  const isMisplaced = coverPath(witnesses.cards.get(owner)?.image ?? image) !== path;
  return isMisplaced || ((witnesses.coverCounts.get(path) ?? 0) > 1 && isNamedOtherwise);
}

/**
 * What opposes the title of an anime that had another one, or is new. A new title must be nobody else's. It must be like the
 * one before, or like that of the schedule; for an anime that is not in it, and for one that is new, like the cover's text.
 */
function opposeTitle(slug: string, title: string, alt: string, witnesses: Witnesses): string | undefined {
  const { scheduled, known, knownTitles } = witnesses;
  const key = titleKey(title);
  const before = known.get(slug);
  const inSchedule = scheduled.keys.get(slug);
  if (before && knownTitles.all.has(key)) return knownTitles.name;
  const others = [
    before && titleKey(before.title),
    inSchedule,
    before && inSchedule ? undefined : titleKey(alt),
  ];
  if (others.some((other) => other !== undefined && areSimilar(other, key))) return undefined;
  if (before) return knownTitles.name;
  return inSchedule === undefined ? undefined : scheduled.name;
}

/** A day is in doubt when the schedule and the last good list both have another one. */
function doubtDay({ slug, day }: OngoingAnime, { week, known }: Witnesses): CardFault | undefined {
  const scheduled: readonly string[] = week.get(slug)?.days ?? [];
  if (scheduled.length === 0 || scheduled.includes(day) || known.get(slug)?.day === day) return undefined;
  return { field: 'day', found: day, against: 'the schedule' };
}

/** Whether a number jumps, and was not exchanged with another anime's. */
export function isJump(anime: OngoingAnime, { known, episodeMoves }: Witnesses): boolean {
  const before = known.get(anime.slug);
  return (
    before !== undefined &&
    anime.episode > before.episode + MAX_STEP &&
    !episodeMoves.has(describeMove(anime, before))
  );
}

/** Whether the episode jumps, falls back with its date as on a stale page, or was exchanged with another anime's. */
function doubtEpisode(anime: OngoingAnime, witnesses: Witnesses): CardFault | undefined {
  const { known, episodeMoves } = witnesses;
  const { slug, episode, date } = anime;
  const before = known.get(slug);
  if (!before || episode === before.episode) return undefined;
  const isOdd =
    isJump(anime, witnesses) ||
    (episode < before.episode && date !== before.date) ||
    episodeMoves.has(describeMove(anime, before));
  const against = `the last good list, which has ${before.episode}`;
  return isOdd ? { field: 'episode', found: `${episode}`, against } : undefined;
}
