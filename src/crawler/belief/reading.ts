import { bySlug, type Day, type Listing, listEntries, type OngoingAnime } from '../../domain/listing.ts';
import {
  type Card,
  type CardFault,
  isUnreadable,
  type OngoingPage,
  type SchedulePage,
} from '../../source/source.ts';
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
  /** How many anime are on two pages: as many others may be missing where two pages meet. */
  overlaps: number;
  /** The number of cards of page 1, and that of the last page by its pager. */
  pageSize: number;
  lastNumber: number;
  /** When the oldest page of the list was built. */
  builtAt: number | undefined;
}

/**
 * Merges the pages. Where two pages show an anime, the younger one is believed, by its time or by its episode; else the one
 * that comes first: page 1 as it was at the end of the crawl, which has what moved meanwhile, then the others.
 */
export function mergePages({ schedule, pages, firstAgain }: ReadPages): Reading {
  const list = new Map<string, Shown>();
  const stray = new Map<string, Place>();
  let overlaps = 0;
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
      const shown: Shown = {
        ...{ ...place, slug, anime, alt: page.alts[index] ?? '', number },
        ...(builtAt !== undefined && { builtAt }),
      };
      const other = list.get(slug);
      if (other && other.number !== number) overlaps += 1;
      if (other?.anime && anime && other.anime.title !== anime.title)
        stray.set(`${where} ${index}`, repeat(place, anime, other.anime));
      if (other && !isBetter(shown, other)) continue;
      if (other?.anime) list.delete(slug);
      list.set(slug, shown);
    }
  }
  const ages = pages.flatMap(({ builtAt }) => builtAt ?? []);
  return {
    ...{ list, overlaps, lastNumber: firstAgain.lastNumber },
    pageSize: Math.max(1, firstAgain.cards.length),
    builtAt: ages.length > 0 ? Math.min(...ages) : undefined,
    ...mergeSchedule(schedule, stray),
    stray: [...stray.values()],
  };
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
export function listMissingCards(pages: readonly OngoingPage[]): Place[] {
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

/**
 * Replaces titles that a theme has cut by those that other places have, and numbers that jump by the newest episodes on the
 * pages of their anime (`answers`), where these are new.
 */
export function correctCards(
  { list, week }: Reading,
  lastGood: Listing | undefined,
  answers: ReadonlyMap<string, number> = new Map(),
): void {
  const known = bySlug(lastGood?.ongoing ?? []);
  const titled = bySlug([...listEntries(lastGood?.schedule ?? []), ...known.values()]);
  for (const shown of list.values()) {
    const { slug, anime, alt } = shown;
    if (!anime) continue;
    const text = alt.replace(/(?:\s+sub(?:title)?)?\s+indo(?:nesia)?$/iu, '');
    const title = completeTitle(anime.title, [titled.get(slug)?.title, week.get(slug)?.title, text]);
    const answer = answers.get(slug) ?? 0;
    const isNew = answer > (known.get(slug)?.episode ?? Infinity);
    shown.anime = { ...anime, title, episode: isNew ? answer : anime.episode };
  }
  for (const entry of week.values()) {
    const others = [titled.get(entry.slug)?.title, list.get(entry.slug)?.anime?.title];
    entry.title = completeTitle(entry.title, others);
  }
}
