import type { OngoingAnime } from '../domain/listing.ts';
import { isLaterDate } from '../domain/source-date.ts';
import type { CardFault } from '../source/source.ts';
import type { Field } from './statement.ts';
import { areSimilar, titleKey } from './titles.ts';
import type { Witnesses } from './witnesses.ts';

/** A larger step from the believed episode is a jump. */
const MAX_STEP = 2;
/** A lower number with a date that is later by more days than this is of an older page. */
const MAX_LATER_DAYS = 31;

/** A cover as it is compared: without its host. */
export function coverKey(image: string): string {
  return URL.parse(image)?.pathname ?? image;
}

/** What says which anime it is, as keys that spelling and host do not change. */
export function identityOf({ title, image }: Pick<OngoingAnime, 'title' | 'image'>): {
  title: string;
  image: string;
} {
  return { title: titleKey(title), image: coverKey(image) };
}

/** Whether its title or its cover changed. */
export function otherNames(anime: OngoingAnime, before: OngoingAnime): ('title' | 'image')[] {
  const isSame = {
    title: anime.title === before.title,
    image: coverKey(anime.image) === coverKey(before.image),
  };
  return (['title', 'image'] as const).filter((field) => !isSame[field]);
}

/** The fields of a record that contradict the believed one, its title and its cover apart. */
export function contradictionsOf(anime: OngoingAnime, before: OngoingAnime): Field[] {
  const fields: readonly (keyof OngoingAnime)[] = isNewRelease(anime, before)
    ? ['day']
    : ['day', 'episode', 'date'];
  return fields.filter((field) => anime[field] !== before[field]);
}

/** Whether an episode is news: it is higher, and its date is later. */
export function isNewRelease(anime: OngoingAnime, before: OngoingAnime): boolean {
  return anime.episode > before.episode && isLaterDate(anime.date, before.date);
}

/** A new anime has a title and a cover of its own, where the pages say so: the schedule, else the text of the cover. */
export function doubtNew(anime: OngoingAnime, witnesses: Witnesses): CardFault | undefined {
  const { alts, cards, owners, reading } = witnesses;
  const { slug, title: found } = anime;
  const key = titleKey(found);
  const scheduled = reading.week.get(slug)?.title;
  if (scheduled && !areSimilar(titleKey(scheduled), key))
    return { field: 'title', found, against: 'the schedule' };
  if (!scheduled && alts.has(slug) && alts.get(slug) !== key && alts.values().some((one) => one === key))
    return { field: 'title', found, against: "the cover's text" };
  if (isTwin(anime, witnesses)) return { field: 'title', found, against: "another anime's card" };
  const own = identityOf(anime);
  const field = (['title', 'image'] as const).find((one) => {
    const owner = cards.get(owners.get(own[one]) ?? '');
    return owner && !Object.values(identityOf(owner)).includes(own[one]);
  });
  return field && { field, found: anime[field], against: "another anime's card" };
}

/**
 * Whether a new slug has the title of a known anime that is still listed, or may be on a page that was not read. If the known
 * anime has vanished, the two are the same.
 */
export function isTwin({ slug, title }: OngoingAnime, { cards, known, owners, isPeek }: Witnesses): boolean {
  const owner = owners.get(titleKey(title));
  if (known.has(slug) || owner === undefined || titleKey(known.get(owner)?.title ?? '') !== titleKey(title))
    return false;
  return isPeek || cards.has(owner);
}

/** A day is in doubt when the schedule and the last good list both have another one. */
export function doubtDay({ slug, day }: OngoingAnime, { reading, known }: Witnesses): CardFault | undefined {
  const scheduled: readonly string[] = reading.week.get(slug)?.days ?? [];
  if (scheduled.length === 0 || scheduled.includes(day) || known.get(slug)?.day === day) return undefined;
  return { field: 'day', found: day, against: 'the schedule' };
}

/**
 * Whether a number jumps, or falls although its date is later or the anime's own page has the believed one. Two anime that have
 * exchanged their numbers are another matter: see `describeMove`.
 */
export function isJump(anime: OngoingAnime, { known, confirmed, episodeMoves }: Witnesses): boolean {
  const before = known.get(anime.slug);
  if (!before || episodeMoves.has(describeMove(anime, before))) return false;
  const isLater = isLaterDate(anime.date, before.date, MAX_LATER_DAYS);
  const isFall = anime.episode < before.episode && (isLater || confirmed.has(anime.slug));
  return isFall || anime.episode > before.episode + MAX_STEP;
}

export type ShownRelease = Pick<OngoingAnime, 'episode' | 'date'>;

/** `12 to 13`, with the dates where these change too: an exchange with another anime exchanges both or the episode alone. */
export function describeMove(from: ShownRelease, to: ShownRelease): string {
  const dates = from.date === to.date ? '' : `, ${from.date} to ${to.date}`;
  return `${from.episode} to ${to.episode}${dates}`;
}
