import type { AnimeDetails, PrintedDetails } from '../domain/details.ts';
import { AppError } from '../domain/errors.ts';
import type { Day, Listing, OngoingAnime, ScheduledAnime } from '../domain/listing.ts';

/** Takes the place of a record when a field of its card cannot be parsed. There are no half-filled records. */
export interface UnreadableCard {
  /** The position of the card, from 1, in page order. */
  card: number;
  /** Present where the link of the card could be parsed. */
  slug?: string;
  /** What was read of a card of the ongoing list on which only the episode cannot be parsed. */
  record?: UnnumberedAnime;
  faults: CardFault[];
}

/** An anime of the ongoing list without its episode. */
export type UnnumberedAnime = Omit<OngoingAnime, 'episode'>;

export interface CardFault {
  field: string;
  /** The text that was found, cleaned and shortened; empty when there was none. */
  found: string;
  /** Why `found` cannot be parsed, where that is not obvious. */
  why?: string;
  /** The selector, where it matched nothing. */
  missing?: string;
  /** What contradicts the value, where the card can be parsed but not trusted. */
  against?: string;
}

export type Card<Anime> = Anime | UnreadableCard;

export function isUnreadable<Anime extends object>(card: Card<Anime>): card is UnreadableCard {
  return 'faults' in card;
}

export function isReadable<Anime extends object>(card: Card<Anime>): card is Anime {
  return !isUnreadable(card);
}

/**
 * The cards that speak against the page. One that has words in place of its number ("8 & 9", "Movie") is an editor's doing and
 * counts as readable, as long as most cards have a number. One that has nothing there may have lost its class.
 */
export function listUnreadable<Anime extends object>(cards: readonly Card<Anime>[]): UnreadableCard[] {
  const unreadable = cards.filter(isUnreadable);
  const others = unreadable.filter((card) => !hasWordsForNumber(card));
  const worded = unreadable.length - others.length;
  return worded * 2 > cards.length ? unreadable : others;
}

function hasWordsForNumber({ record, faults }: UnreadableCard): boolean {
  return record !== undefined && faults.every(({ found }) => found !== '');
}

/** Refuses a page, with a reason for people. Throws AppError `source-changed`. */
export function refusePage(reason: string): never {
  throw new AppError('source-changed', reason);
}

/**
 * The page of an anime is not there: 404, 410, or a redirect to a page that is none of an anime. Where the source shows its
 * lists, that says something of this anime alone; where it does not, the site may have moved.
 */
export class PageGone extends AppError {
  constructor(reason: string, options?: ErrorOptions) {
    super('source-moved', reason, options);
  }
}

/** What has failed is another host, to which the source redirects: that says nothing of the other pages of the source. */
export class RedirectedError extends AppError {}

/** What every parsed page of the site has. */
interface LinkingPage {
  /** When the source built it, ms since 1970 by the clock of the source; absent where the page does not say. */
  builtAt?: number;
  /** The slugs of all links of the page, in a card or not: they reveal an anime whose card was missed. */
  linked: string[];
}

export interface SchedulePage extends LinkingPage {
  groups: ScheduleGroup[];
}

export interface ScheduleGroup {
  /** Null when the label is unknown; the cards of the group are unreadable then. */
  day: Day | null;
  cards: Card<ScheduledAnime>[];
}

export interface OngoingPage extends LinkingPage {
  /** The current page, according to the pager. */
  number: number;
  /** The largest page number in the pager. */
  lastNumber: number;
  /** Every card in page order, readable or not. */
  cards: Card<OngoingAnime>[];
  /** The `alt` of each card's cover, which repeats the title; empty where there is none. */
  alts: string[];
}

/** The page of one anime. */
export interface AnimePage {
  /** The titles that the page has, as in the lists and perhaps with "Subtitle Indonesia". */
  titles: string[];
  /** When the anime was put on top of the list with its newest episode, ms since 1970; null where the page does not say. */
  publishedAt: number | null;
  /** The episodes with the day of each, `2026-11-20`; in page order, rows that cannot be read left out. */
  episodes: { episode: number; date: string; isLast?: true }[];
  /** The days of rows that are no whole episode, which used the slot of their week: `Special`, `OVA 2`, `Episode 7.5`. */
  specials: { date: string }[];
  /** When the source built it, ms since 1970 by the clock of the source; absent where the page does not say. */
  builtAt?: number;
  details: AnimeDetails;
  printed: PrintedDetails;
  /** Absolute address of the cover; absent where the page shows none. */
  image?: string;
}

/** A selector that replaces a written one, which no longer matches. */
export interface SelectorRepair {
  /** The name of the selector in the site's folder, after `schedule ` for one of the schedule. */
  field: string;
  was: string;
  now: string;
  /** The share (0 to 1) of the known anime on which the pages agree with the last good listing in it. */
  agreement: number;
}

/** The results of earlier crawls, from which selectors can be repaired. */
export interface CrawlMemory {
  lastGood: Listing;
  /** Those of the last good crawl, which are tried before any new ones. */
  repairs: readonly Omit<SelectorRepair, 'agreement'>[];
  /** Whether selectors may be repaired; else a page that needs a repair is refused. */
  mayRepair: boolean;
}

/** The repairs of the pages that a visit has read so far. */
export interface RepairResult {
  repairs: SelectorRepair[];
  /** Why a repair was not possible; undefined when none was needed. */
  failure: string | undefined;
}

/** Reads one mirror in one crawl. A read throws an AppError `source-…` when it yields no valid page. */
export interface Visit {
  readSchedule(): Promise<SchedulePage>;
  /** The caller checks that the result has the requested number. */
  readOngoing(page: number): Promise<OngoingPage>;
  /** The caller checks that the page is the one of that anime. Throws PageGone where there is none. */
  readAnime(slug: string): Promise<AnimePage>;
  /** The origin that answered last: the mirror, or where it has redirected to. */
  origin(): string;
  repaired(): RepairResult;
}

/** A site, as the crawler reads it. */
export interface Source {
  /** The configured origins, in the order of preference. */
  readonly mirrors: readonly string[];
  /**
   * Starts a crawl. Its visits share one retry budget, so that a failing source ends the crawl in time. Nothing is
   * repaired without a memory.
   */
  beginCrawl(signal: AbortSignal, memory?: CrawlMemory): (mirror: string) => Visit;
  /**
   * Reads the bytes of a picture, whatever they are. `page`: the page that shows it. Throws AppError `source-blocked` or
   * `source-down` where its host refuses or fails, another one where that says nothing of other pictures.
   */
  readPicture(address: string, page: string, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}
