import type { Day, OngoingAnime, ScheduledAnime } from '../domain/listing.ts';

/** What stands in place of a record when a card cannot be read whole. There are no half-filled records. */
export interface UnreadableCard {
  /** Counts from 1, in the order of the page. */
  card: number;
  /** The anime, where at least its address could be read. */
  slug?: string;
  faults: CardFault[];
}

export interface CardFault {
  field: string;
  /** What was there, cleaned and shortened; empty when nothing was. */
  found: string;
  /** Why that cannot be read, where it is worth saying. */
  why?: string;
  /** The selector that matched nothing, where that is why. */
  missing?: string;
  /** What else says that the value is another one, where the card can be read but not believed. */
  against?: string;
}

export type Card<Anime> = Anime | UnreadableCard;

export function isUnreadable<Anime extends object>(card: Card<Anime>): card is UnreadableCard {
  return 'faults' in card;
}

export function isReadable<Anime extends object>(card: Card<Anime>): card is Anime {
  return !isUnreadable(card);
}

/** What every page of the site has. */
export interface LinkingPage {
  /** The anime that it links to anywhere, in its cards or not: what fell out of its card is missed by this. */
  linked: string[];
}

export interface SchedulePage extends LinkingPage {
  groups: ScheduleGroup[];
}

export interface ScheduleGroup {
  /** Null when the label is none that we know; its cards are unreadable then. */
  day: Day | null;
  cards: Card<ScheduledAnime>[];
}

export interface OngoingPage extends LinkingPage {
  /** The page that its pager calls the current one. */
  number: number;
  /** The largest page number that its pager names. */
  lastNumber: number;
  /** Every card of the page in its order, readable or not. */
  cards: Card<OngoingAnime>[];
  /** The text of each card's cover, which names the anime once more; empty where there is none. */
  alts: string[];
}

/** One crawl's view of one mirror. A read throws an AppError `source-…` when the page is not to be believed. */
export interface Visit {
  readSchedule(): Promise<SchedulePage>;
  /** `number` of the result is what the page says of itself: comparing it is up to the caller. */
  readOngoing(page: number): Promise<OngoingPage>;
  /** The origin that served: another one than was asked once that has redirected there. */
  origin(): string;
}

/** The port through which the listing reads a site. */
export interface Source {
  /** The origins that are configured, in the order in which they are to be tried. */
  readonly mirrors: readonly string[];
  /** Starts a crawl. All its visits share what it may lose on failed attempts, so that trouble ends in time. */
  beginCrawl(signal: AbortSignal): (mirror: string) => Visit;
  close(): Promise<void>;
}
