import {
  DAYS,
  type Listing,
  type OngoingAnime,
  PAGE_SIZE,
  type ScheduledAnime,
} from '../../src/domain/listing.ts';
import type { AnimePage, OngoingPage, SchedulePage, Source } from '../../src/source/source.ts';

export type FakeSource = ReturnType<typeof createFakeSource>;

/** A source of records without pages. `anime` may change during a crawl. */
export function createFakeSource(count: number) {
  const fake = {
    anime: Array.from({ length: count }, (_, index) => makeAnime(index + 1)),
    /** The pages that were read, in order: `schedule`, `1`, `2`, … */
    reads: [] as string[],
    /** Called before each read; may change the list, or throw. */
    onRead: (_what: string): void => {},
    /** Change a page that is read. */
    alterOngoing: (page: OngoingPage) => page,
    alterSchedule: (page: SchedulePage) => page,
    /** The page of an anime; may throw. */
    showAnime: (slug: string) => makeAnimePage(fake.anime.find((one) => one.slug === slug)),
  };

  function note(what: string): void {
    fake.reads.push(what);
    fake.onRead(what);
  }

  const source = openListSource({
    async readSchedule() {
      note('schedule');
      return fake.alterSchedule(showSchedule(fake.anime));
    },
    async readAnime(slug) {
      note(slug);
      return fake.showAnime(slug);
    },
    async readOngoing(number) {
      note(String(number));
      return fake.alterOngoing(showPage(fake.anime, number));
    },
  });
  return Object.assign(fake, source);
}

/** A source of these pages, which are the same on each mirror unless they ask for it. */
export function openListSource(
  pages: {
    readSchedule(mirror: string): Promise<SchedulePage>;
    readOngoing(number: number, mirror: string): Promise<OngoingPage>;
    readAnime?(slug: string): Promise<AnimePage>;
  },
  mirrors: readonly string[] = ['https://one.example'],
): Source {
  const none = () => Promise.reject(new Error('there are no pages of anime'));
  return {
    mirrors,
    close: async () => {},
    readPicture: () => Promise.reject(new Error('there are no pictures')),
    beginCrawl: () => (mirror) => ({
      origin: () => mirror,
      repaired: () => ({ repairs: [], failure: undefined }),
      readSchedule: () => pages.readSchedule(mirror),
      readOngoing: (number) => pages.readOngoing(number, mirror),
      readAnime: pages.readAnime ?? none,
    }),
  };
}

/** A page of a list with so many cards on each. */
export function showPage(anime: readonly OngoingAnime[], number: number, size = PAGE_SIZE): OngoingPage {
  const lastNumber = Math.max(1, Math.ceil(anime.length / size));
  const cards = anime.slice((number - 1) * size, number * size);
  return { number, lastNumber, cards, alts: cards.map(({ title }) => `${title} Sub Indo`), linked: [] };
}

export function showSchedule(anime: readonly OngoingAnime[]) {
  const bySlug = (one: ScheduledAnime, other: ScheduledAnime) => one.slug.localeCompare(other.slug);
  const groups = DAYS.map((day) => ({ day, cards: entriesOf(anime, day).sort(bySlug) }));
  return { groups, linked: [] };
}

export function makeAnime(number: number): OngoingAnime {
  return {
    title: `Judul ${number}`,
    episode: 1 + (number % 12),
    day: DAYS[number % DAYS.length] ?? 'None',
    date: '20 Nov',
    image: `https://one.example/${number}.jpg`,
    slug: `judul-${number}`,
  };
}

/** A page that knows nothing but the title. */
export function makeAnimePage({ title = '' }: { title?: string } = {}): AnimePage {
  const details = {
    ...{
      japanese: null,
      score: null,
      type: 'TV',
      status: 'ongoing' as const,
      totalEpisodes: null,
      minutes: null,
    },
    ...{ startedOn: null, studios: [], genres: [], producers: [], synopsis: null },
  };
  const printed = {
    title,
    japanese: '',
    score: '',
    producers: '',
    type: 'TV',
    status: 'Ongoing',
    episodes: 'Unknown',
    duration: '',
    aired: '',
    studios: '',
    genres: [],
    episodeList: [],
    batch: null,
  };
  return { titles: [title], publishedAt: null, episodes: [], specials: [], details, printed };
}

/** Gives the anime at `index` a new episode and moves it to the top. */
export function airEpisode(source: FakeSource, index: number): void {
  const [anime] = source.anime.splice(index, 1) as [OngoingAnime];
  source.anime.unshift({ ...anime, episode: anime.episode + 1, date: '21 Nov' });
}

/** A listing of these anime. */
export function listingOf(ongoing: OngoingAnime[], scheduled: readonly OngoingAnime[] = ongoing): Listing {
  return { ongoing, schedule: DAYS.map((day) => ({ day, animeList: entriesOf(scheduled, day) })) };
}

function entriesOf(anime: readonly OngoingAnime[], day: string): ScheduledAnime[] {
  return anime.filter((one) => one.day === day).map(({ title, slug }) => ({ title, slug }));
}
