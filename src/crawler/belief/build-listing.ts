import { isDeepStrictEqual } from 'node:util';
import { DAYS, type DaySchedule, type OngoingAnime } from '../../domain/listing.ts';
import type { Difference } from './compare.ts';
import { type BeliefMemory, listAbsent } from './memory.ts';
import type { Reading, Shown } from './reading.ts';

type Held = ReadonlyMap<string, Difference>;
type Known = ReadonlyMap<string, OngoingAnime>;

/** The record of a card as far as it is believed; the last good one where it cannot be read. */
function believe({ slug, anime }: Shown, known: Known, held: Held): OngoingAnime | undefined {
  return (held.has(slug) ? undefined : anime) ?? known.get(slug);
}

/** The list as it is read, as far as it is believed. Anime that are kept have their last good records and places. */
export function buildList(
  { list }: Reading,
  known: Known,
  held: Held,
  isKept: (slug: string) => boolean,
): OngoingAnime[] {
  const read = [...list.values()].flatMap((one) =>
    isKept(one.slug) ? [] : (believe(one, known, held) ?? []),
  );
  const moved = read.filter((one) => !isSameRelease(one, known.get(one.slug))).map(({ slug }) => slug);
  return placeKept(read, [...known.values()], isKept, new Set(moved));
}

/** The schedule as it is read, with its eight groups; while it is pending, without entries that are new. */
export function buildWeek(
  { entries, week }: Reading,
  lastGood: readonly DaySchedule[],
  held: Held,
  isPending: boolean,
): DaySchedule[] {
  const known = new Set(lastGood.flatMap(({ animeList }) => animeList.map(({ slug }) => slug)));
  const isKept = (slug: string) => held.has(slug) || week.get(slug)?.days.length === 0;
  const isRead = (slug: string) => !isKept(slug) && (!isPending || known.has(slug));
  return DAYS.map((day) => {
    const read = entries.filter((entry) => entry.day === day && isRead(entry.slug));
    const animeList = read.map(({ slug, title }) => ({ title: week.get(slug)?.title ?? title, slug }));
    const before = lastGood.find((group) => group.day === day)?.animeList ?? [];
    return { day, animeList: placeKept(animeList, before, isKept) };
  });
}

/**
 * Inserts each kept entry after the entry that it followed in the last good list. The list is sorted by its last change: what
 * is new or has `moved` is above the others.
 */
function placeKept<Entry extends { slug: string }>(
  read: readonly Entry[],
  before: readonly Entry[],
  isKept: (slug: string) => boolean,
  moved: ReadonlySet<string> = new Set(),
): Entry[] {
  const placed = [...read];
  const slugs = new Set(placed.map(({ slug }) => slug));
  const firstUnmoved = placed.findIndex(({ slug }) => !moved.has(slug));
  let place = firstUnmoved < 0 ? placed.length : firstUnmoved;
  for (const entry of before) {
    if (!slugs.has(entry.slug) && isKept(entry.slug)) placed.splice(place, 0, entry);
    else if (!slugs.has(entry.slug) || moved.has(entry.slug)) continue;
    slugs.add(entry.slug);
    place = placed.findIndex(({ slug }) => slug === entry.slug) + 1;
  }
  return placed;
}

export function isSameRelease(one: OngoingAnime, other: OngoingAnime | undefined): boolean {
  return one.episode === other?.episode && one.date === other.date;
}

/**
 * The anime of page 1 that are certainly new, or have a new episode, in a reading that is not believed: an entry that is as
 * it was shows that everything new is above it. Where the fields in doubt are those of an episode, no new one can be told
 * apart; where they are any of a record, no new anime can.
 */
export function listNews(
  { list }: Reading,
  known: Known,
  held: Held,
  doubted: readonly Difference[],
): string[] {
  const fields = new Set(doubted.flatMap((one) => one.fields));
  fields.delete('gone');
  const page = [...list.values()].filter(({ number }) => number === 1);
  const end = page.findIndex(({ slug, anime }) => anime && isSameRelease(anime, known.get(slug)));
  const isClear = ({ slug, anime }: Shown) => {
    const last = known.get(slug);
    return anime && (last ? anime.episode >= last.episode : fields.size === 0 && !held.has(slug));
  };
  const top = page.slice(0, Math.max(0, end));
  return fields.has('episode') || fields.has('date') || !top.every(isClear)
    ? []
    : top.map(({ slug }) => slug);
}

/**
 * Whether page 1 alone is enough: new and changed entries are on top, the others follow in their order, and the list has the
 * pages that it had, or one more with new anime.
 */
export function addsUp(
  { list, lastNumber }: Reading,
  known: Known,
  held: Held,
  memory: BeliefMemory,
): boolean {
  const page = [...list.values()].flatMap((one) => believe(one, known, held) ?? []);
  const isChanged = (anime: OngoingAnime) => !isDeepStrictEqual(known.get(anime.slug), anime);
  const changed = page.findLastIndex(isChanged) + 1;
  const top = page.slice(0, changed);
  const unchanged = page.slice(changed);
  const slugs = new Set(top.map(({ slug }) => slug));
  const others = [...known.keys()].filter((slug) => !slugs.has(slug));
  // Those that the last crawl did not show have not left yet.
  const absent = listAbsent(memory);
  const present = others.filter((slug) => !absent.has(slug));
  const isInOrder = unchanged.every(({ slug }, index) => slug === present[index]);
  const isJoined = unchanged.length > 0 || others.length === 0;
  const hasAdded = top.some(({ slug }) => !known.has(slug));
  const { pages = lastNumber } = memory;
  const hasPages = lastNumber === pages || (hasAdded && lastNumber === pages + 1);
  return top.every(isChanged) && isInOrder && isJoined && hasPages;
}
