import { AppError } from '../../../src/domain/errors.ts';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import type { OngoingPage, SchedulePage } from '../../../src/source/source.ts';
import { showSchedule } from '../../support/fake-source.ts';
import { HOUR_MS, type HonestSource, PAGE_CARDS, pageOf } from './world.ts';

/** What a source in trouble shows in place of its list. `n` counts the readings; `age` is up to a day, in ms. */
interface Trouble {
  site: HonestSource;
  now: number;
  n: number;
  age: number;
  mirror: string;
}

interface Fault {
  list?(page: OngoingPage, trouble: Trouble): OngoingPage;
  schedule?(page: SchedulePage, trouble: Trouble): SchedulePage;
}

const each =
  (change: (anime: OngoingAnime, index: number) => Partial<OngoingAnime>) =>
  (page: OngoingPage): OngoingPage => ({
    ...page,
    cards: (page.cards as OngoingAnime[]).map((one, index) => ({ ...one, ...change(one, index) })),
  });
const without = ({ builtAt: _, ...page }: OngoingPage): OngoingPage => page;
const olderPage = (page: OngoingPage, { site, now, age }: Trouble) => pageOf(site.at(now - age), page.number);
/** Each page but the first comes from a cache, and is as old as it happens to be: from one hour to ten. */
function fromCaches(page: OngoingPage, { site, now }: Trouble): OngoingPage {
  if (page.number === 1) return page;
  const lifeMs = (1 + ((page.number * 7) % 10)) * HOUR_MS;
  // A cache is filled when its copy has expired.
  const filledAt = Math.floor(now / lifeMs) * lifeMs;
  return pageOf(site.at(filledAt), page.number);
}
const down = (): never => {
  throw new AppError('source-down', 'no answer');
};

/** The same list on pages of which the first has some cards more or less than the others. */
function unevenly(more: number) {
  return (page: OngoingPage, { site, now }: Trouble): OngoingPage => {
    const { anime } = site.at(now);
    const first = PAGE_CARDS + more;
    const [from, to] =
      page.number === 1
        ? [0, first]
        : [first + (page.number - 2) * PAGE_CARDS, first + (page.number - 1) * PAGE_CARDS];
    const cards = anime.slice(from, to);
    const lastNumber = 1 + Math.max(0, Math.ceil((anime.length - first) / PAGE_CARDS));
    return { ...page, lastNumber, cards, alts: cards.map(({ title }) => `${title} Sub Indo`) };
  };
}

/** Each way in which the source is wrong for a while. */
const FAULTS = {
  'every episode one higher': { list: each(({ episode }) => ({ episode: episode + 1 })) },
  'half of the pages gone': {
    list: (page, { site, now }) => {
      const { anime, at } = site.at(now);
      const half = pageOf({ anime: anime.slice(0, Math.ceil(anime.length / 2)), at }, page.number);
      return half.cards.length > 0 ? half : down();
    },
  },
  'page 1 of two caches': { list: (page, trouble) => (trouble.n % 2 ? olderPage(page, trouble) : page) },
  'later pages older': { list: (page, trouble) => (page.number > 1 ? olderPage(page, trouble) : page) },
  'later pages older, of unknown age': {
    list: (page, trouble) =>
      without(page.number > 1 ? olderPage(page, { ...trouble, age: trouble.age / 8 }) : page),
  },
  'later pages from caches of their own age': { list: fromCaches },
  'later pages from caches without an age': {
    list: (page, trouble) => without(fromCaches(page, trouble)),
  },
  'later pages frozen for days': {
    list: (page, { site, now, age }) =>
      page.number > 1 ? without(pageOf(site.at(now - 24 * HOUR_MS - age), page.number)) : page,
  },
  'a mirror that is down, and a frozen one': {
    list: (page, trouble) =>
      trouble.mirror.includes('one')
        ? down()
        : pageOf(trouble.site.at(trouble.now - 20 * HOUR_MS), page.number),
    schedule: (_page, { mirror, site, now }) =>
      mirror.includes('one') ? down() : showSchedule(site.at(now - 20 * HOUR_MS).anime),
  },
  'one card less on page 1': { list: unevenly(-1) },
  'one card more on page 1': { list: unevenly(1) },
  'titles cut': {
    list: each(({ title }) => ({ title: title.length > 20 ? `${title.slice(0, 18)}…` : title })),
  },
  'titles of the neighbours': {
    list: (page) => {
      const cards = page.cards as OngoingAnime[];
      return each((_, index) => ({ title: cards.at(index - 1)?.title ?? '' }))(page);
    },
  },
  'another list': { list: each(({ slug }) => ({ slug: `lain-${slug}` })) },
  'half of the schedule gone': {
    schedule: (page) => ({ ...page, groups: page.groups.filter((_, index) => index % 2 === 0) }),
  },
  'no dates but today': { list: each(() => ({ date: '1 Jan' })) },
  'out of reach': { list: down, schedule: down },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];
export function faultOf(name: FaultName): Fault {
  return FAULTS[name];
}
