import { isDeepStrictEqual } from 'node:util';
import { bySlug, DAYS, type DaySchedule, type OngoingAnime } from '../../domain/listing.ts';
import type { Difference } from './compare.ts';
import type { Reading, Shown } from './reading.ts';
import type { Witnesses } from './witnesses.ts';

type Held = ReadonlyMap<string, Difference>;

/**
 * The list as it is read; records that are not believed, or cannot be read, are replaced by the last good ones. Those that an
 * older page shows also keep their places.
 */
export function buildList({ list }: Reading, { known }: Witnesses, held: Held): OngoingAnime[] {
  const read = [...list.values()].flatMap(({ slug, anime }) => {
    const difference = held.get(slug);
    if (difference?.isOld) return [];
    return anime && !difference ? anime : (known.get(slug) ?? []);
  });
  return placeKept(read, [...known.values()], (slug) => held.has(slug));
}

/** The last good list with what has lasted, while the rest of the reading is pending. */
export function settle(
  { list }: Reading,
  { known }: Witnesses,
  settled: ReadonlySet<string>,
): OngoingAnime[] {
  return [...known.values()].flatMap((anime) =>
    settled.has(anime.slug) ? (list.get(anime.slug)?.anime ?? []) : anime,
  );
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

/** Inserts each kept entry after the entry that it followed in the last good list. */
function placeKept<Entry extends { slug: string }>(
  read: readonly Entry[],
  before: readonly Entry[],
  isKept: (slug: string) => boolean,
): Entry[] {
  const placed = [...read];
  const slugs = new Set(placed.map(({ slug }) => slug));
  let previous: string | undefined;
  for (const entry of before) {
    if (!slugs.has(entry.slug) && isKept(entry.slug)) {
      placed.splice(placed.findIndex(({ slug }) => slug === previous) + 1, 0, entry);
      slugs.add(entry.slug);
    }
    if (slugs.has(entry.slug)) previous = entry.slug;
  }
  return placed;
}

/**
 * The last good list with what is new on top of page 1, of a reading that is pending. Where the pending fields are those of
 * an episode, no new one can be told apart; where they are any of a record, no new anime can.
 */
export function applyNews(
  shown: readonly Shown[],
  before: readonly OngoingAnime[],
  held: Held,
): OngoingAnime[] {
  const known = bySlug(before);
  const doubted = new Set([...held.values()].flatMap(({ fields }) => fields));
  doubted.delete('gone');
  if (doubted.has('episode') || doubted.has('date')) return [...before];
  const news: OngoingAnime[] = [];
  for (const { slug, anime, number } of shown) {
    const last = known.get(slug);
    if (number !== 1 || !anime || (!last && doubted.size > 0)) break;
    const { episode, date } = anime;
    if (last?.episode === episode && last.date === date) {
      const moved = new Set(news.map((one) => one.slug));
      return [...news, ...before.filter((one) => !moved.has(one.slug))];
    }
    if (last ? episode < last.episode : held.has(slug)) break;
    news.push(last ? { ...last, episode, date } : anime);
  }
  // No anime of page 1 is where it was, so what is above it cannot be told apart.
  return [...before];
}

interface Page {
  shown: readonly Shown[];
  lastNumber: number;
}

/**
 * Updates the last good list with page 1 alone: page 1 comes first, then the other entries in their order. That is enough
 * when new and changed entries are on top, the others follow in their order, and the list has the pages that it had, or
 * one more with new anime. Returns undefined when it is not enough, so that a whole crawl is needed.
 *
 * The list is sorted by its last change. An entry of page 1 that is as it was therefore shows that everything new is
 * above it. `absent`: anime that the last crawl did not show, and that have not left yet.
 */
export function applyPage(
  { shown, lastNumber }: Page,
  lastGood: readonly OngoingAnime[],
  { held, absent, pages }: { held: Held; absent: ReadonlySet<string>; pages: number | undefined },
): OngoingAnime[] | undefined {
  const known = bySlug(lastGood);
  const page = shown.flatMap(({ slug, anime }) =>
    anime && !held.has(slug) ? anime : (known.get(slug) ?? []),
  );
  const isChanged = (anime: OngoingAnime) => !isDeepStrictEqual(known.get(anime.slug), anime);
  const changed = page.findLastIndex(isChanged) + 1;
  const top = page.slice(0, changed);
  const slugs = new Set(top.map(({ slug }) => slug));
  const others = lastGood.filter(({ slug }) => !slugs.has(slug));
  const present = others.filter(({ slug }) => !absent.has(slug));
  const unchanged = page.slice(changed);

  const isOnTop = top.every(isChanged);
  const isInOrder = unchanged.every(({ slug }, index) => slug === present[index]?.slug);
  const isJoined = unchanged.length > 0 || others.length === 0;
  const added = top.filter(({ slug }) => !known.has(slug)).length;
  const hasPages = pages === undefined || lastNumber === pages || (added > 0 && lastNumber === pages + 1);
  return isOnTop && isInOrder && isJoined && hasPages ? [...top, ...others] : undefined;
}
