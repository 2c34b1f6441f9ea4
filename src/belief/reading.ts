import { bySlug, type Day, type Listing, listEntries, type OngoingAnime } from '../domain/listing.ts';
import {
  type Card,
  type CardFault,
  isUnreadable,
  type OngoingPage,
  type SchedulePage,
} from '../source/source.ts';
import { completeTitle } from './titles.ts';

/** The pages of one crawl. */
export interface ReadPages {
  schedule: SchedulePage;
  /** Every page of the ongoing list, in order. */
  pages: OngoingPage[];
  /** Page 1, read again after the last page. */
  firstAgain: OngoingPage;
}

/** The place of a card: `ongoing page 3`, or `schedule`. */
export interface Place {
  page: string;
  card: number;
  faults: CardFault[];
}

/** What the pages of a crawl show of one anime of the list. */
export interface Shown extends Place {
  slug: string;
  /** Undefined where no card of it can be read. */
  anime: OngoingAnime | undefined;
  /** What its card says where only the number cannot be read. */
  record?: Omit<OngoingAnime, 'episode'>;
  /** The text of its cover; empty where there is none. */
  alt: string;
  number: number;
  /** When the source built that page. */
  builtAt?: number;
}

/** What the schedule shows of one anime; several days are rare. */
export interface Scheduled extends Place {
  slug: string;
  title: string;
  days: Day[];
}

/** The pages of a crawl, merged. */
export interface Reading {
  /** In the order of the list. */
  list: Map<string, Shown>;
  /** Cards without a readable address, and cards that have the address of another one. */
  stray: Place[];
  week: Map<string, Scheduled>;
  /** The entries that can be read, in their order. */
  entries: { day: Day; title: string; slug: string }[];
  /** The pages of the list in their order, page 1 as it was at the end. */
  pages: readonly OngoingPage[];
  /** The number of the last page, by the pager of page 1. */
  lastNumber: number;
  /** When the oldest page of the list, and the schedule, was built. */
  builtAt: number | undefined;
  scheduleBuiltAt: number | undefined;
}

/**
 * Merges the pages. Where two pages show an anime, the younger one is believed, by its time or by its episode; else the
 * one that comes first: page 1 as it was at the end of the crawl, which shows late moves, then the others.
 */
export function mergePages(
  { schedule, pages, firstAgain }: ReadPages,
  lastGood: Listing | undefined,
): Reading {
  const list = new Map<string, Shown>();
  const stray = new Map<string, Place>();
  for (const page of firstAgain === pages[0] ? pages : [firstAgain, ...pages]) {
    const { number, builtAt } = page;
    const where = `ongoing page ${number}`;
    for (const [index, card] of page.cards.entries()) {
      const place = placeOf(card, where, index);
      const { slug } = card;
      if (slug === undefined) {
        stray.set(`${where} ${index}`, place);
        continue;
      }
      const anime = isUnreadable(card) ? undefined : card;
      const record = isUnreadable(card) ? card.record : undefined;
      const shown: Shown = {
        ...place,
        slug,
        anime,
        alt: page.alts[index] ?? '',
        number,
        ...(record && { record }),
        ...(builtAt !== undefined && { builtAt }),
      };
      const other = list.get(slug);
      if (other?.anime && anime && other.anime.title !== anime.title)
        stray.set(`${where} ${index}`, repeat(place, anime, other.anime));
      if (other && !isBetter(shown, other)) continue;
      if (other?.anime) list.delete(slug);
      list.set(slug, shown);
    }
  }
  const ages = pages.flatMap(({ builtAt }) => builtAt ?? []);
  if (!lastGood)
    for (const place of listMissingCards(pages)) stray.set(`${place.page} ${place.card} missing`, place);
  const reading: Reading = {
    list,
    pages: [firstAgain, ...pages.slice(1)],
    lastNumber: firstAgain.lastNumber,
    builtAt: ages.length > 0 ? Math.min(...ages) : undefined,
    scheduleBuiltAt: schedule.builtAt,
    ...mergeSchedule(schedule, stray),
    stray: [...stray.values()],
  };
  completeTitles(reading, lastGood);
  return reading;
}

function isBetter(shown: Shown, other: Shown): boolean {
  if (!shown.anime || !other.anime) return shown.anime !== undefined;
  if (shown.builtAt !== undefined && other.builtAt !== undefined && shown.builtAt !== other.builtAt)
    return shown.builtAt > other.builtAt;
  return shown.anime.title === other.anime.title && shown.anime.episode > other.anime.episode;
}

function mergeSchedule(
  { groups }: SchedulePage,
  stray: Map<string, Place>,
): Pick<Reading, 'week' | 'entries'> {
  const week = new Map<string, Scheduled>();
  const entries: Reading['entries'] = [];
  for (const [number, { day, cards }] of groups.entries()) {
    for (const [index, card] of cards.entries()) {
      const place = placeOf(card, 'schedule', index);
      const { slug } = card;
      if (slug === undefined) {
        stray.set(`schedule ${number} ${index}`, place);
        continue;
      }
      const other = week.get(slug);
      if (isUnreadable(card) || !day) {
        if (!other) week.set(slug, { ...place, slug, title: '', days: [] });
        continue;
      }
      if (other && other.days.length > 0 && other.title !== card.title) {
        stray.set(`schedule ${number} ${index}`, repeat(place, card, other));
        continue;
      }
      if (other?.days.includes(day)) continue;
      entries.push({ day, title: card.title, slug });
      week.set(slug, { ...place, slug, title: card.title, days: [...(other?.days ?? []), day].sort() });
    }
  }
  return { week, entries };
}

function placeOf(card: Card<object>, page: string, index: number): Place {
  return isUnreadable(card)
    ? { page, card: card.card, faults: card.faults }
    : { page, card: index + 1, faults: [] };
}

function repeat(
  place: Place,
  { slug, title }: { slug: string; title: string },
  other: { title: string },
): Place {
  return {
    ...place,
    faults: [{ field: 'slug', found: `${slug}, which is "${other.title}", again as "${title}"` }],
  };
}

/** The cards that a page before the last has less than most others: before the first snapshot, nothing else shows them. */
function listMissingCards(pages: readonly OngoingPage[]): Place[] {
  const full = pages.slice(0, -1);
  const counts = Map.groupBy(full, ({ cards }) => cards.length);
  const [[usual = 0] = []] = [...counts].sort(([one, a], [other, b]) => b.length - a.length || other - one);
  return full.flatMap(({ number, cards: { length } }) =>
    Array.from({ length: Math.max(0, usual - length) }, (_, index) => ({
      page: `ongoing page ${number}`,
      card: length + index + 1,
      faults: [{ field: 'card', found: '', why: `it is missing, as most pages have ${usual} cards` }],
    })),
  );
}

/** Replaces titles that a theme has cut by those that other places have. */
function completeTitles({ list, week }: Reading, lastGood: Listing | undefined): void {
  const known = bySlug(lastGood?.ongoing ?? []);
  const titled = bySlug([...listEntries(lastGood?.schedule ?? []), ...known.values()]);
  for (const shown of list.values()) {
    const { slug, anime, alt } = shown;
    if (!anime) continue;
    const text = alt.replace(/(?:\s+sub(?:title)?)?\s+indo(?:nesia)?$/iu, '');
    const title = completeTitle(anime.title, [titled.get(slug)?.title, week.get(slug)?.title, text]);
    shown.anime = { ...anime, title };
  }
  for (const entry of week.values()) {
    const others = [titled.get(entry.slug)?.title, list.get(entry.slug)?.anime?.title];
    entry.title = completeTitle(entry.title, others);
  }
}

/**
 * Replaces numbers that cannot be read, or that the page of the anime does not have, by the newest episode on that page, where
 * it is new.
 */
export function correctNumbers(
  { list }: Reading,
  ownPages: ReadonlyMap<string, { episodes: readonly number[] } | 'gone'>,
  lastGood: Listing | undefined,
): void {
  const known = bySlug(lastGood?.ongoing ?? []);
  for (const [slug, page] of ownPages) {
    const shown = list.get(slug);
    if (!shown || page === 'gone') continue;
    const [newest = 0] = page.episodes;
    const { anime, record } = shown;
    const before = known.get(slug)?.episode ?? 0;
    if (newest <= before) continue;
    const isOnPage = anime && anime.episode > before && page.episodes.includes(anime.episode);
    const card = anime ?? record;
    if (card && !isOnPage) shown.anime = { ...card, episode: newest };
  }
}
