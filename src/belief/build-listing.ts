import { isDeepStrictEqual } from 'node:util';
import { DAYS, type DaySchedule, type OngoingAnime } from '../domain/listing.ts';
import type { BeliefMemory } from './memory.ts';
import type { Reading, Scheduled, Shown } from './reading.ts';
import { listAbsent } from './rivals.ts';
import type { Statement } from './statement.ts';

/** What is not believed of each anime of a part, by slug. */
export type Held = ReadonlyMap<string, readonly Statement[]>;
type Known = ReadonlyMap<string, OngoingAnime>;

/** The record of a card as far as it is believed; the last good one where the card cannot be read. */
function believedRecord({ slug, anime }: Shown, known: Known, held: Held): OngoingAnime | undefined {
  const before = known.get(slug);
  const statements = held.get(slug) ?? [];
  if (!anime || !before) return statements.length > 0 ? before : (anime ?? before);
  const record = { ...anime };
  for (const { aspect, fields } of statements) {
    const isStranger = aspect === 'name' && fields.length > 1;
    if (isStranger || aspect === 'listed') return before;
    if (aspect === 'slot') record.day = before.day;
    else if (aspect === 'release') setRelease(record, before);
    else if (fields[0] === 'title') record.title = before.title;
    else record.image = before.image;
  }
  return record;
}

function setRelease(record: OngoingAnime, { episode, date, isLast }: OngoingAnime): void {
  record.episode = episode;
  record.date = date;
  delete record.isLast;
  if (isLast) record.isLast = isLast;
}

/** The list as it is read, as far as it is believed. Anime that are kept have their last good records and places. */
export function buildList(
  { list }: Reading,
  known: Known,
  held: Held,
  isKept: (slug: string) => boolean,
): OngoingAnime[] {
  const read = [...list.values()].flatMap((one) =>
    isKept(one.slug) ? [] : (believedRecord(one, known, held) ?? []),
  );
  const moved = [...list.values()].filter((one) => isMoved(one, known.get(one.slug)));
  return placeKept(read, [...known.values()], isKept, new Set(moved.map(({ slug }) => slug)));
}

/** Whether a card stands at another place because something came out. */
function isMoved({ anime, record }: Shown, before: OngoingAnime | undefined): boolean {
  if (record) return record.date !== before?.date;
  return anime !== undefined && !isSameRelease(anime, before);
}

/** The schedule as read, and as believed. */
interface WeekOptions {
  reading: Reading;
  lastGood: readonly DaySchedule[];
  held: Held;
  /** Whether more than a tenth of it waits: nothing new is believed then. */
  isPending: boolean;
  /** Anime of the list whose number cannot be read: the schedule has them until the list can. */
  unlisted: readonly { slug: string; title: string; day: DaySchedule['day'] }[];
}

/** The schedule as it is read, with its eight groups. */
export function buildWeek({ reading, lastGood, held, isPending, unlisted }: WeekOptions): DaySchedule[] {
  const { entries, week } = reading;
  const known = new Map(
    lastGood.flatMap(({ animeList }) => animeList.map((one) => [one.slug, one] as const)),
  );
  const isHeld = (slug: string, aspect: Statement['aspect']) =>
    held.get(slug)?.some((one) => one.aspect === aspect) ?? false;
  const isKept = (slug: string) =>
    isHeld(slug, 'listed') || isHeld(slug, 'slot') || week.get(slug)?.days.length === 0;
  const isRead = (slug: string) => !isKept(slug) && (!isPending || known.has(slug));
  const titleOf = (entry: Pick<Scheduled, 'slug' | 'title'>) => {
    const before = isHeld(entry.slug, 'name') ? known.get(entry.slug)?.title : undefined;
    return before ?? week.get(entry.slug)?.title ?? entry.title;
  };
  const added = unlisted.filter(({ slug }) => !week.has(slug));
  return DAYS.map((day) => {
    const read = [...entries, ...added].filter((entry) => entry.day === day && isRead(entry.slug));
    const animeList = read.map((entry) => ({ title: titleOf(entry), slug: entry.slug }));
    const before = lastGood.find((group) => group.day === day)?.animeList ?? [];
    return { day, animeList: placeKept(animeList, before, isKept) };
  });
}

/**
 * Inserts each kept entry after the entry that it followed in the last good list. The list is sorted by its last change:
 * new and `moved` entries are above the others.
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

export function isSameRelease(
  one: Pick<OngoingAnime, 'episode' | 'date'>,
  other: Pick<OngoingAnime, 'episode' | 'date'> | undefined,
): boolean {
  return one.episode === other?.episode && one.date === other.date;
}

/**
 * The anime of page 1 that are certainly new, or have a new episode, in a reading that is not believed: an entry that is as
 * it was shows that everything new is above it. Where the fields in doubt are those of an episode, no new one can be told
 * apart; where they are any of a record, no new anime can.
 */
export function certainNews(
  { list }: Reading,
  known: Known,
  held: Held,
  doubted: readonly Statement[],
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
  const shown = [...list.values()].filter((one) => believedRecord(one, known, held));
  const isChanged = (one: Shown) =>
    isMoved(one, known.get(one.slug)) ||
    !isDeepStrictEqual(known.get(one.slug), believedRecord(one, known, held));
  const changed = shown.findLastIndex(isChanged) + 1;
  const top = shown.slice(0, changed);
  const unchanged = shown.slice(changed);
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
