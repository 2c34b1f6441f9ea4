import type { ReadPages } from '../../src/crawler/belief/reading.ts';
import { DAYS, type Listing, type OngoingAnime, type ScheduledAnime } from '../../src/domain/listing.ts';
import { type Card, isReadable, type OngoingPage, type SchedulePage } from '../../src/source/source.ts';

/** A title for each anime of `listAnime`; no two are similar. */
const TITLES = [
  'Kucing',
  'Bebek',
  'Harimau',
  'Gajah',
  'Ular',
  'Merpati',
  'Kijang',
  'Domba',
  'Elang',
  'Tupai',
];

/** At most ten anime, one a day, whose addresses and covers are named after their titles. */
export function listAnime(count: number): OngoingAnime[] {
  return TITLES.slice(0, count).map((title, index) => ({
    title,
    episode: 10 + index,
    day: DAYS[index] ?? 'None',
    date: '20 Nov',
    image: `https://one.example/2026/12/${title}.jpg`,
    slug: title.toLowerCase(),
  }));
}

/** Exchanges the given fields of two anime. */
export function exchange(
  anime: readonly OngoingAnime[],
  [one, other]: [number, number],
  ...fields: (keyof OngoingAnime)[]
): OngoingAnime[] {
  const pick = (from: OngoingAnime) => Object.fromEntries(fields.map((field) => [field, from[field]]));
  const [first, second] = [anime[one]!, anime[other]!];
  return anime.with(one, { ...first, ...pick(second) }).with(other, { ...second, ...pick(first) });
}

export interface ReadOptions {
  /** The texts of the covers; none by default. */
  alts?: string[];
  /** What the schedule is of; the cards by default. */
  scheduled?: readonly OngoingAnime[];
}

/** The pages of a crawl that has read one page of the list, twice. */
export function readPages(cards: Card<OngoingAnime>[], options: ReadOptions = {}): ReadPages {
  const page = ongoingPage(1, cards, options.alts);
  const schedule = schedulePage(options.scheduled ?? cards.filter(isReadable));
  return { schedule, pages: [page], firstAgain: page };
}

export function ongoingPage(number: number, cards: Card<OngoingAnime>[], alts: string[] = []): OngoingPage {
  return { number, lastNumber: 1, cards, alts, linked: [] };
}

/** The anime that have a day, under its heading. */
export function schedulePage(anime: readonly OngoingAnime[]): SchedulePage {
  return { groups: DAYS.map((day) => ({ day, cards: entriesOf(anime, day) })), linked: [] };
}

/** A listing of these anime. */
export function listingOf(ongoing: OngoingAnime[], scheduled: readonly OngoingAnime[] = ongoing): Listing {
  return { ongoing, schedule: DAYS.map((day) => ({ day, animeList: entriesOf(scheduled, day) })) };
}

function entriesOf(anime: readonly OngoingAnime[], day: string): ScheduledAnime[] {
  return anime.filter((one) => one.day === day).map(({ title, slug }) => ({ title, slug }));
}
