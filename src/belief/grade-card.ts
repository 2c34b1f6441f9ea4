import type { OngoingAnime } from '../domain/listing.ts';
import { isLaterDate } from '../domain/source-date.ts';
import { isSameRelease } from './build-listing.ts';
import {
  contradictionsOf,
  describeMove,
  doubtDay,
  doubtNew,
  isJump,
  isNewRelease,
  isTwin,
  otherNames,
} from './doubts.ts';
import type { Shown } from './reading.ts';
import type { Field, OwnPageAnswer, Statement } from './statement.ts';
import { titleKey } from './titles.ts';
import type { OwnPageFacts, Witnesses } from './witnesses.ts';

/** What a card says against the believed record of its anime, or that there is an anime that was not listed. */
export function gradeCard(shown: Shown, witnesses: Witnesses): Statement[] {
  const { slug, anime, builtAt = Infinity } = shown;
  const { known, beliefs } = witnesses;
  const before = known.get(slug);
  if (!anime) return gradeUnnumbered(shown, before, witnesses);
  const isStale = builtAt < (beliefs.memory.seen[slug] ?? 0);
  if (!before) return [gradeNew(shown, anime, isStale, witnesses)];
  const names = otherNames(anime, before);
  // With another title and another cover, it may be the card of another anime: nothing of it is believed.
  if (names.length > 1) return [gradeName(anime, before, names, isStale, witnesses)];
  return [
    ...names.map((name) => gradeName(anime, before, [name], isStale, witnesses)),
    ...gradeRelease(anime, before, isStale, witnesses),
    ...gradeSlot(anime, before, isStale, witnesses),
  ];
}

/**
 * An anime that was not listed. It stands above the older entries, and has its own title and cover, if the pages show
 * them.
 */
function gradeNew(shown: Shown, anime: OngoingAnime, isStale: boolean, witnesses: Witnesses): Statement {
  const { beliefs, aboveKnown, isFamiliar, ownPages } = witnesses;
  const { slug, title } = anime;
  const isInOrder = !beliefs.lastGood || isFamiliar || aboveKnown.has(slug);
  const isOld = mayBeOld(shown, anime, witnesses);
  const fault =
    doubtNew(anime, witnesses) ??
    doubtDay(anime, witnesses) ??
    (isInOrder && !isOld ? undefined : { field: 'slug', found: slug, against: 'the last good list' });
  const page = ownPages.get(slug);
  const isTwinOfOther = isTwin(anime, witnesses);
  return {
    part: 'list',
    aspect: 'listed',
    slug,
    title,
    grade: isStale ? 'stale' : fault ? 'odd' : 'news',
    value: JSON.stringify([title, anime.image, anime.episode, anime.date, anime.day]),
    fields: [(fault?.field as Field | undefined) ?? 'slug'],
    found: fault?.found ?? slug,
    known: '',
    fault,
    isUsual: !fault,
    isTwin: isTwinOfOther,
    // Its own page says whether its earlier episodes came with this one.
    asks: beliefs.lastGood !== undefined && !isStale && (!isInOrder || isOld || anime.episode > 1),
    ownPage: isTwinOfOther ? undefined : confirmationOf(page, title, isOld),
  };
}

/**
 * Whether the card of an anime that left may be a copy from before: a cache can have a later page without an age, and it
 * shows the same release as before.
 */
function mayBeOld({ number, builtAt }: Shown, anime: OngoingAnime, { beliefs }: Witnesses): boolean {
  const left = beliefs.lastGood?.left?.[anime.slug];
  return number > 1 && builtAt === undefined && left !== undefined && isSameRelease(left.anime, anime);
}

/** The page of an anime that has ended denies that it is listed again. */
function confirmationOf(
  page: OwnPageFacts | 'gone' | undefined,
  title: string,
  isOld: boolean,
): OwnPageAnswer | undefined {
  if (!page || page === 'gone' || !page.titles.has(titleKey(title))) return undefined;
  return isOld && page.hasEnded ? 'denies' : 'agrees';
}

/** Another title or another cover, or both. */
function gradeName(
  anime: OngoingAnime,
  before: OngoingAnime,
  names: readonly ('title' | 'image')[],
  isStale: boolean,
  { ownPages }: Witnesses,
): Statement {
  const { slug, title, image } = anime;
  const [field] = names as ['title' | 'image'];
  const isStranger = names.length > 1;
  const fields = isStranger ? [...names, ...contradictionsOf(anime, before)] : names;
  const page = ownPages.get(slug);
  const isTitle = field === 'title' && !isStranger;
  const hasTitle = page !== undefined && page !== 'gone' && page.titles.has(titleKey(title));
  const known = before[field];
  return {
    part: 'list',
    aspect: 'name',
    slug,
    title,
    grade: isStale ? 'stale' : 'odd',
    value: title + image,
    fields,
    found: anime[field],
    known,
    fault: { field, found: anime[field], against: `the last good list, which has "${known}"` },
    asks: isTitle && !isStale,
    // Its own page keeps the title that it had, or is as old as this card: only agreement is an answer.
    ...(isTitle && hasTitle && titleKey(title) !== titleKey(before.title) && { ownPage: 'agrees' as const }),
  };
}

/** Another number or another date. */
function gradeRelease(
  anime: OngoingAnime,
  before: OngoingAnime,
  isStale: boolean,
  witnesses: Witnesses,
): Statement[] {
  if (isSameRelease(anime, before)) return [];
  const { slug, title, episode, date } = anime;
  const isNewer = isNewRelease(anime, before);
  const isNumber = isJump(anime, witnesses);
  const isExchanged = witnesses.episodeMoves.has(describeMove(anime, before));
  const isFall = episode < before.episode && date !== before.date;
  const isOdd = episode !== before.episode && (isNumber || isExchanged || isFall);
  const grade = isStale ? 'stale' : isOdd ? 'odd' : isNewer ? 'news' : 'small';
  const contradictions = (['episode', 'date'] as const).filter((field) => anime[field] !== before[field]);
  const fields = isNewer ? (['episode'] as const) : contradictions;
  const [field] = fields as readonly ('episode' | 'date')[];
  const against = `the last good list, which has ${before.episode}`;
  return [
    {
      part: 'list',
      aspect: 'release',
      slug,
      title,
      grade,
      value: JSON.stringify([episode, isNewer || date]),
      fields,
      found: `${anime[field!]}`,
      known: `${before[field!]}`,
      fault: isOdd ? { field: 'episode', found: `${episode}`, against } : undefined,
      isNumber,
      isUsual: isNewer && !isExchanged,
      // Its own page says which episodes came where there are several.
      asks: !isStale && (isNumber || episode > before.episode + 1),
      ownPage: isNumber ? answerOf(witnesses.ownPages.get(slug), episode, before.episode) : undefined,
    },
  ];
}

function answerOf(
  page: OwnPageFacts | 'gone' | undefined,
  episode: number,
  before: number,
): OwnPageAnswer | undefined {
  if (!page || page === 'gone' || page.episodes.length === 0) return undefined;
  const hasRisen = episode > before && page.episodes.includes(episode);
  return hasRisen || page.episodes[0] === episode ? 'agrees' : 'denies';
}

/** Another day of the week. */
function gradeSlot(
  anime: OngoingAnime,
  before: OngoingAnime,
  isStale: boolean,
  witnesses: Witnesses,
): Statement[] {
  const { slug, title, day } = anime;
  if (day === before.day) return [];
  const fault = doubtDay(anime, witnesses);
  return [
    {
      part: 'list',
      aspect: 'slot',
      slug,
      title,
      grade: isStale ? 'stale' : fault ? 'odd' : 'small',
      value: day,
      fields: ['day'],
      found: day,
      known: before.day,
      fault,
    },
  ];
}

/** A card whose number cannot be read, and whose date is later: its own page says what came. */
function gradeUnnumbered(
  { slug, record, builtAt = Infinity }: Shown,
  before: OngoingAnime | undefined,
  { beliefs }: Witnesses,
): Statement[] {
  const isNewer = record && (!before || isLaterDate(record.date, before.date));
  if (!isNewer || !beliefs.lastGood || builtAt < (beliefs.memory.seen[slug] ?? 0)) return [];
  return [
    {
      part: 'list',
      aspect: 'release',
      slug,
      title: record.title,
      grade: 'news',
      value: record.date,
      fields: ['episode'],
      found: record.date,
      known: before?.date ?? '',
      isUsual: true,
      isUnnumbered: true,
      asks: true,
    },
  ];
}
