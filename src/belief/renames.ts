import { bySlug, type Listing, listEntries, type OngoingAnime } from '../domain/listing.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { MINUTE_MS, WEEK_MS } from '../domain/units.ts';
import { coverKey } from './doubts.ts';
import type { BeliefMemory } from './memory.ts';
import type { Reading, ReadPages } from './reading.ts';
import { titleKey } from './titles.ts';

/**
 * A slug that the source corrects: the old one vanishes, and a new one has its title, or its cover and its Japanese
 * title. It is the same anime, with its whole record.
 */
export interface Rename {
  from: string;
  to: string;
  title: string;
}

/** A new number of the same anime is higher by at most this much. */
const MAX_STEP = 2;

interface Named {
  slug: string;
  title: string;
  image?: string;
  anime?: Pick<OngoingAnime, 'episode' | 'day'>;
}

/**
 * The anime of a crawl that have another slug than before. `japaneseOf`: the Japanese title on the own page of an anime, as
 * far as it is known.
 */
export function findRenames(
  { list, week }: Reading,
  lastGood: Listing | undefined,
  japaneseOf: (slug: string) => string | undefined = () => undefined,
): Rename[] {
  if (!lastGood) return [];
  const listed = bySlug(lastGood.ongoing);
  const scheduled = bySlug(listEntries(lastGood.schedule));
  const vanished: Named[] = [
    ...lastGood.ongoing.filter(({ slug }) => !list.has(slug)).map((anime) => ({ ...anime, anime })),
    ...[...scheduled.values()].filter(({ slug }) => !listed.has(slug) && !week.has(slug) && !list.has(slug)),
  ];
  const added: Named[] = [
    ...[...list.values()].flatMap(({ slug, anime, record }) => {
      const card = anime ?? record;
      return card && !listed.has(slug) ? [{ ...card, ...(anime && { anime }) }] : [];
    }),
    ...[...week.values()].filter(
      ({ slug, days }) => days.length > 0 && !list.has(slug) && !scheduled.has(slug),
    ),
  ];
  return added.flatMap((one): Rename[] => {
    const [former, ...others] = vanished.filter((other) => isSameAnime(one, other, japaneseOf));
    return former && others.length === 0 ? [{ from: former.slug, to: one.slug, title: one.title }] : [];
  });
}

function isSameAnime(one: Named, other: Named, japaneseOf: (slug: string) => string | undefined): boolean {
  if (one.slug === other.slug || !isSameState(one, other)) return false;
  if (titleKey(one.title) === titleKey(other.title)) return true;
  const japanese = japaneseOf(one.slug);
  const hasSameCover = one.image !== undefined && coverKey(one.image) === coverKey(other.image ?? '');
  return hasSameCover && japanese !== undefined && japanese === japaneseOf(other.slug);
}

/** Whether it has the number or the day that the other one had, or the next number. */
function isSameState({ anime: one }: Named, { anime: other }: Named): boolean {
  if (!one || !other) return true;
  const step = one.episode - other.episode;
  return (step >= 0 && step <= MAX_STEP) || one.day === other.day;
}

/** The new slugs of a crawl that have the cover of an anime that vanished: their own pages say whether it is the same. */
export function listPossibleRenames({ list }: Reading, lastGood: Listing | undefined): string[] {
  const ongoing = lastGood?.ongoing ?? [];
  const known = bySlug(ongoing);
  const covers = new Set(ongoing.filter(({ slug }) => !list.has(slug)).map(({ image }) => coverKey(image)));
  return [...list.values()].flatMap(({ slug, anime }) =>
    anime && !known.has(slug) && covers.has(coverKey(anime.image)) ? [slug] : [],
  );
}

/** For this long after a correction, a page without a time of its own may be from before it. */
const MAX_AGE_MS = WEEK_MS;
/** The clock of the source may be behind by this much. */
const MAX_CLOCK_SKEW_MS = 5 * MINUTE_MS;

/**
 * Pages from before a correction are read as if they had the new slug, unless a page has both slugs, or the former slug belongs
 * to another anime now. `now`: ms since 1970.
 */
export function withNewSlugs(pages: ReadPages, lastGood: Snapshot | undefined, now: number): ReadPages {
  const { renamed = {}, ongoing = [] } = lastGood ?? {};
  const known = bySlug(ongoing);
  const recent = new Map(
    Object.entries(renamed).filter(([from, { at }]) => now - at < MAX_AGE_MS && !known.has(from)),
  );
  if (recent.size === 0) return pages;
  const rename = <Card extends NamedCard>(cards: readonly Card[], builtAt = 0): Card[] => {
    const slugs = new Set(cards.map(({ slug }) => slug));
    return cards.map((card) => {
      const { to, at = 0 } = recent.get(card.slug ?? '') ?? {};
      if (to === undefined || slugs.has(to) || builtAt > at + MAX_CLOCK_SKEW_MS) return card;
      return isOfAnother(card, known.get(to)) ? card : { ...card, slug: to };
    });
  };
  const onPage = <Page extends ReadPages['firstAgain']>(page: Page): Page => ({
    ...page,
    cards: rename(page.cards, page.builtAt),
  });
  const { schedule } = pages;
  const firstAgain = onPage(pages.firstAgain);
  return {
    schedule: {
      ...schedule,
      groups: schedule.groups.map((group) => ({ ...group, cards: rename(group.cards, schedule.builtAt) })),
    },
    pages: pages.pages.map((page) => (page === pages.firstAgain ? firstAgain : onPage(page))),
    firstAgain,
  };
}

interface NamedCard {
  slug?: string | undefined;
  title?: string | undefined;
  image?: string | undefined;
}

/** Whether a card has neither the title nor the cover of an anime. */
function isOfAnother({ title, image }: NamedCard, anime: OngoingAnime | undefined): boolean {
  if (!anime || title === undefined || image === undefined) return false;
  return titleKey(title) !== titleKey(anime.title) && coverKey(image) !== coverKey(anime.image);
}

/** The snapshot in which these anime have their new slugs. `at`: ms since 1970. */
export function renameInSnapshot(snapshot: Snapshot, renames: readonly Rename[], at: number): Snapshot {
  return renames.reduce((before, rename) => renameOne(before, rename, at), snapshot);
}

function renameOne(snapshot: Snapshot, { from, to }: Rename, at: number): Snapshot {
  const { ongoing, schedule, ledger, details, left, leftSchedule, renamed = {} } = snapshot;
  const { [to]: _, ...others } = renamed;
  const former = Object.entries(others).map(([slug, one]) => [slug, one.to === from ? { ...one, to } : one]);
  const scheduled = new Set(listEntries(schedule).map(({ slug }) => slug));
  const own = ledger[from];
  const page = own?.page ?? ledger[to]?.page;
  const evidence = own && (page ? { ...own, page } : own);
  return {
    ...snapshot,
    ongoing: ongoing.map((anime) => (anime.slug === from ? { ...anime, slug: to } : anime)),
    schedule: schedule.map(({ day, animeList }) => ({
      day,
      animeList: animeList.flatMap((one) => {
        if (one.slug !== from) return one;
        return scheduled.has(to) ? [] : { ...one, slug: to };
      }),
    })),
    ledger: { ...without(ledger, from), ...(evidence && { [to]: evidence }) },
    ...(details && { details: moveKey(details, from, to) }),
    ...(left && { left: without(left, from) }),
    ...(leftSchedule && { leftSchedule: without(leftSchedule, from) }),
    renamed: { ...Object.fromEntries(former), [from]: { to, at } },
  };
}

/** What is remembered of these anime, under their new slugs. What spoke against the old ones is over. */
export function renameInMemory(memory: BeliefMemory, renames: readonly Rename[]): BeliefMemory {
  return renames.reduce(
    ({ rivals, seen, ...others }, { from, to }) => ({
      ...others,
      rivals: Object.fromEntries(Object.entries(rivals).filter(([key]) => !key.endsWith(` ${from}`))),
      seen: moveKey(seen, from, to),
    }),
    memory,
  );
}

function without<Value>(values: Readonly<Record<string, Value>>, slug: string): Record<string, Value> {
  const { [slug]: _, ...others } = values;
  return others;
}

function moveKey<Value>(
  values: Readonly<Record<string, Value>>,
  from: string,
  to: string,
): Record<string, Value> {
  const own = values[from] ?? values[to];
  return { ...without(values, from), ...(own !== undefined && { [to]: own }) };
}
