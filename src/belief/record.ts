import type { CardReading, Evidence, Ledger, PageRows, Row, Told } from '../domain/ledger.ts';
import { bySlug, type OngoingAnime } from '../domain/listing.ts';
import { dateCards, sourceDate } from '../domain/source-date.ts';
import { DAY_MS, MINUTE_MS } from '../domain/units.ts';
import type { AnimePage } from '../source/source.ts';
import { episodeBefore, newestEpisode, releasesOf } from './releases.ts';

/** Adds a reading to the ledger. It draws no conclusions: `releases.ts` does. */

/** How many cards, rows and announcements of an anime are remembered. */
const MAX_CARDS = 30;
const MAX_ROWS = 30;
const MAX_TOLD = 40;
/** The clock of the source may be ahead by this much. */
const MAX_CLOCK_SKEW_MS = 5 * MINUTE_MS;

export const NO_EVIDENCE: Evidence = { cards: [], told: [] };

/** A good reading of the ongoing list; ms since 1970. */
export interface ListReading {
  at: number;
  /** The moment that it shows, where its page is an older one. */
  shownAt?: number | undefined;
  /** The good reading before; absent where nobody knows when it was. */
  after?: number | undefined;
  /** The anime whose number changed against the order of the source: nobody knows when, and it is not announced. */
  silent?: ReadonlySet<string> | undefined;
  /** The day of each anime whose card has no number that can be read. */
  unnumbered?: ReadonlyMap<string, OngoingAnime['date']> | undefined;
}

/** The earlier listing, if any, and the list as it is believed now. */
interface ListChange {
  before: readonly OngoingAnime[] | undefined;
  ongoing: readonly OngoingAnime[];
}

/** The ledger after the list was read. */
export function recordCards(ledger: Ledger, { before, ongoing }: ListChange, reading: ListReading): Ledger {
  const known = bySlug(before ?? []);
  const shownAt = Math.min(reading.shownAt ?? reading.at, reading.at);
  const shown = ongoing.map((anime) => ({
    ...anime,
    date: reading.unnumbered?.get(anime.slug) ?? anime.date,
  }));
  const dates = dateCards(shown, reading.at);
  const next: Record<string, Evidence> = { ...ledger };
  for (const [index, anime] of ongoing.entries()) {
    const { slug } = anime;
    const evidence = ledger[slug] ?? NO_EVIDENCE;
    const isReturn = !known.has(slug) && evidence.start !== undefined;
    const isSilent = reading.silent?.has(slug) ?? false;
    const isSighting = before !== undefined && !isReturn && !isSilent && reading.after !== undefined;
    const card: CardReading = {
      episode: reading.unnumbered?.has(slug) ? null : anime.episode,
      date: dates[index]!,
      at: shownAt,
      ...(isSighting && { after: Math.min(reading.after!, shownAt) }),
      ...(anime.isLast && { isLast: true }),
    };
    next[slug] = addCard(evidence, card, { isAdded: before !== undefined, isSilent });
  }
  return next;
}

function addCard(
  evidence: Evidence,
  card: CardReading,
  { isAdded, isSilent }: { isAdded: boolean; isSilent: boolean },
): Evidence {
  const last = evidence.cards.at(-1);
  const cards = isSameCard(last, card)
    ? [...evidence.cards.slice(0, -1), redate(last!, card)]
    : [...evidence.cards, card].slice(-MAX_CARDS);
  const { episode, date, at } = card;
  if (episode === null) return { ...evidence, cards };
  const start = evidence.start ?? { episode: episodeBefore(evidence, date) ?? episode, date, at, isAdded };
  const silent = isSilent && !isSameCard(last, card) ? [{ episode, date, at, event: 0 }] : [];
  return { ...evidence, cards, start, told: addTold(evidence.told, silent) };
}

/** Whether a card repeats the one before it. The year of a day that was not seen to begin is a guess. */
function isSameCard(last: CardReading | undefined, card: CardReading): boolean {
  if (!last || last.episode !== card.episode || last.isLast !== card.isLast) return false;
  return last.date === card.date || (last.after === undefined && last.date.slice(5) === card.date.slice(5));
}

/** The year of the first list is a guess that each later list corrects. */
function redate(last: CardReading, card: CardReading): CardReading {
  return last.date === card.date ? last : { ...last, date: card.date };
}

export function addTold(told: readonly Told[], added: readonly Told[]): readonly Told[] {
  return added.length > 0 ? [...told, ...added].slice(-MAX_TOLD) : told;
}

/** The page of an anime, when it was read, and when the source built it, if it says so; ms since 1970. */
export interface OwnPage {
  slug: string;
  page: AnimePage;
  readAt: number;
}

/** What was read of an anime after its own page. The first day of each row stands. */
export function recordPage(evidence: Evidence, { page, readAt }: OwnPage): Evidence {
  const lastDate = sourceDate(readAt + DAY_MS);
  const inTime = page.episodes.filter(({ date }) => date <= lastDate);
  if (inTime.length === 0) return evidence;
  const byEpisode = Map.groupBy(inTime, ({ episode }) => episode);
  const before = new Map(evidence.page?.rows.map((row) => [row.episode, row]));
  const rows = [...byEpisode]
    .sort(([one], [other]) => other - one)
    .slice(0, MAX_ROWS)
    .map(([episode, own]) => mergeRows(episode, own, before.get(episode)));
  const at = page.builtAt === undefined ? readAt : Math.min(page.builtAt, readAt);
  const specials = [...new Set(page.specials?.map(({ date }) => date) ?? [])].filter(
    (date) => date <= lastDate,
  );
  const recorded = { ...evidence, page: { at, rows, specials } };
  return { ...recorded, page: withExactTime(recorded, page, readAt) };
}

function mergeRows(
  episode: number,
  own: readonly { date: string; isLast?: true }[],
  before: Row | undefined,
): Row {
  const dates = own.map(({ date }) => date);
  if (before) dates.push(before.date);
  const date = dates.sort()[0]!;
  return {
    episode,
    date,
    ...(before?.releasedAt !== undefined && { releasedAt: before.releasedAt }),
    ...(own.some(({ isLast }) => isLast) && { isLast: true }),
  };
}

/** The rows with the time in the head of the page, where it belongs to the newest episode. */
function withExactTime(evidence: Evidence & { page: PageRows }, page: AnimePage, readAt: number): PageRows {
  const rows = evidence.page.rows;
  const newest = newestEpisode(evidence);
  const shownAt = evidence.cards.find(({ episode }) => episode === newest)?.at;
  return {
    ...evidence.page,
    rows: rows.map((row) => {
      if (row.episode !== newest) return row;
      const releasedAt = exactTime(page, row.date, Math.min(readAt, shownAt ?? readAt));
      // The anime may be put on top again later: the episode came at the first of these times.
      const times = [row.releasedAt, releasedAt].filter((at) => at !== undefined);
      return times.length > 0 ? { ...row, releasedAt: Math.min(...times) } : row;
    }),
  };
}

/**
 * The time in the head of the page where it belongs to the newest episode: on the day of its row or the day after, because it
 * trails the row. On a completed anime it has no meaning. `knownAt`: when the episode was known at the latest; a later time
 * means that the anime was put up again.
 */
function exactTime(page: AnimePage, rowDate: string, knownAt: number): number | undefined {
  const { publishedAt, details } = page;
  if (publishedAt === null || details.status === 'completed' || publishedAt > knownAt + MAX_CLOCK_SKEW_MS)
    return undefined;
  const days = [sourceDate(publishedAt), sourceDate(publishedAt - DAY_MS)];
  return days.includes(rowDate) ? publishedAt : undefined;
}

/** Whether an episode has an exact time. */
export function hasExactTime(evidence: Evidence | undefined, episode: number): boolean {
  const release = evidence && releasesOf(evidence).find((one) => one.episode === episode);
  return release?.releasedAt !== undefined;
}
