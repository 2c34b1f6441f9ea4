import { bySlug, type Listing, listEntries, type OngoingAnime } from '../../domain/listing.ts';
import { isReadable, type OngoingPage, type SchedulePage } from '../../source/source.ts';
import { coverKey, coverPath, slugKey, titleKey } from './compare-titles.ts';
import { findMisplaced, type Misplaced } from './misplaced.ts';

const MAX_OTHER_DAYS = 1 / 10;

/** The pages of one crawl. */
export interface ReadPages {
  schedule: SchedulePage;
  /** Every page of the ongoing list, in order. */
  pages: OngoingPage[];
  /** Page 1, read again after the last page. */
  firstAgain: OngoingPage;
}

/** A card of the ongoing list, and the text of its cover. */
export interface Listed {
  anime: OngoingAnime;
  /** Empty where the cover has none. */
  alt: string;
}

/** The titles that one place gives to the anime, as keys of `titleKey` by slug, and the set of these keys. */
export interface TitleIndex {
  name: string;
  keys: ReadonlyMap<string, string>;
  all: ReadonlySet<string>;
}

/** Everything that the pages of a crawl and the last good listing say of each anime, by slug. */
export interface CrawlIndex {
  listed: ReadonlyMap<string, Listed>;
  /** The days of each anime in the last good schedule. */
  knownDays: ReadonlyMap<string, ReadonlySet<string>>;
  /** The listed anime that the schedule has on another day. */
  otherDays: ReadonlySet<string>;
  known: ReadonlyMap<string, OngoingAnime>;
  misplaced: Misplaced;
  /** The changes of the episodes of known anime, as keys of `moveKey`. */
  episodeMoves: ReadonlySet<string>;
  /** How many listed anime have each cover now. */
  coverCounts: ReadonlyMap<string, number>;
  titles: TitleIndex;
  alts: TitleIndex;
  scheduled: TitleIndex;
  knownTitles: TitleIndex;
  slugs: TitleIndex;
  files: TitleIndex;
}

export function indexCrawl(read: ReadPages, lastGood: Listing | undefined): CrawlIndex {
  const listed = new Map<string, Listed>();
  for (const page of [read.firstAgain, ...read.pages]) {
    for (const [index, card] of page.cards.entries()) {
      if (!isReadable(card) || listed.has(card.slug)) continue;
      listed.set(card.slug, { anime: card, alt: page.alts[index] ?? '' });
    }
  }
  const anime = [...listed.values()].map((one) => one.anime);
  const entries = read.schedule.groups.flatMap(({ day, cards }) =>
    cards.filter(isReadable).map((card) => ({ ...card, day: day ?? '' })),
  );
  const days = daysOf(entries);
  const known = bySlug(lastGood?.ongoing ?? []);
  const knownEntries = listEntries(lastGood?.schedule ?? []);
  const withAlt = [...listed.values()].filter(({ alt }) => alt !== '');
  return {
    listed,
    otherDays: findOtherDays(anime, days),
    knownDays: daysOf(knownEntries),
    known,
    episodeMoves: findEpisodeMoves(anime, known),
    misplaced: findMisplaced(anime, lastGood?.ongoing ?? []),
    coverCounts: countCovers(anime),
    titles: indexTitles('another card', anime.map(titled)),
    alts: indexTitles(
      "the cover's text",
      withAlt.map(({ anime: one, alt }) => [one.slug, titleKey(alt)]),
    ),
    scheduled: indexTitles('the schedule', entries.map(titled)),
    knownTitles: indexTitles(
      'the last good list',
      [...knownEntries, ...(lastGood?.ongoing ?? [])].map(titled),
    ),
    slugs: indexTitles(
      'its address',
      anime.map(({ slug }) => [slug, slugKey(slug)]),
    ),
    files: indexTitles(
      "the cover's file",
      anime.map(({ slug, image }) => [slug, coverKey(image)]),
    ),
  };
}

/** Whether so few anime have another day in the schedule that their days may be right. */
export function mayDaysDiffer({ listed, otherDays }: CrawlIndex): boolean {
  return otherDays.size <= listed.size * MAX_OTHER_DAYS;
}

/** The key of the change of an episode. */
export function moveKey(from: number, to: number): string {
  return `${from} to ${to}`;
}

function findEpisodeMoves(
  anime: readonly OngoingAnime[],
  known: ReadonlyMap<string, OngoingAnime>,
): Set<string> {
  const moves = anime.flatMap(({ slug, episode }) => {
    const before = known.get(slug);
    return before ? [moveKey(before.episode, episode)] : [];
  });
  return new Set(moves);
}

function findOtherDays(anime: readonly OngoingAnime[], days: ReadonlyMap<string, Set<string>>): Set<string> {
  const other = anime.filter(({ slug, day }) => days.has(slug) && !days.get(slug)?.has(day));
  return new Set(other.map(({ slug }) => slug));
}

function titled({ slug, title }: { slug: string; title: string }): [string, string] {
  return [slug, titleKey(title)];
}

function indexTitles(name: string, pairs: [slug: string, key: string][]): TitleIndex {
  const keys = new Map(pairs);
  return { name, keys, all: new Set(keys.values()) };
}

function daysOf(entries: { slug: string; day: string }[]): Map<string, Set<string>> {
  const bySlug = Map.groupBy(entries, ({ slug }) => slug);
  return new Map([...bySlug].map(([slug, all]) => [slug, new Set(all.map(({ day }) => day))]));
}

/** How many anime have each cover, by its path. */
export function countCovers(anime: readonly OngoingAnime[]): Map<string, number> {
  const byCover = Map.groupBy(anime, ({ image }) => coverPath(image));
  return new Map([...byCover].map(([path, all]) => [path, all.length]));
}
