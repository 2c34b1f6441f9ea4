import { type EpisodeHistory, type EpisodeRelease, releaseDay } from './episode-history.ts';
import { addDays } from './local-day.ts';
import { sourceDate } from './source-date.ts';
import { MINUTE_MS } from './units.ts';

/**
 * What is believed of the releases of each anime, by slug: for each episode what was read of it, and where. History, events,
 * expected times and feeds are computed from it, so that none of them outlives its evidence. Newest episode first.
 */
export type Ledger = Readonly<Record<string, readonly Claim[]>>;

/** What was read of one episode. */
export interface Claim {
  episode: number;
  /** The card of the ongoing list. */
  card?: CardClaim;
  /** The first day that its row on the page of the anime had, `2026-11-20`. */
  row?: string;
  /** The time in the head of that page, ms since 1970. */
  releasedAt?: number;
  /** Whether the row marks it as the last one. */
  isLast?: true;
  /** Present while the list shows a lower number on another day. It is believed again when the list or the page has it. */
  isHidden?: true;
}

/** When the ongoing list showed an episode; ms since 1970. */
export interface CardClaim {
  /** The first day that the card had. */
  date: string;
  /** The first good reading that showed it. */
  at: number;
  /** The good reading before, which did not. Absent where that is no sighting: in the first list, and after a return. */
  after?: number;
  /** Whether the card marks it as the last one. */
  isLast?: true;
  /** Present where the list or the page of the anime has taken it back. An event may have told it. */
  isWithdrawn?: true;
}

/** How many episodes of an anime are remembered. */
const MAX_CLAIMS = 13;
/** After a longer time without a good reading, it is not known when an episode appeared. */
const MAX_GAP_MS = 30 * MINUTE_MS;

/** The card of an episode that is still believed. */
export function believedCard({ card, isHidden }: Claim): CardClaim | undefined {
  return card?.isWithdrawn || isHidden ? undefined : card;
}

/** The newest claims, the highest episode first. */
export function sortClaims(claims: readonly Claim[]): Claim[] {
  return claims.toSorted((a, b) => b.episode - a.episode).slice(0, MAX_CLAIMS);
}

/** The releases of all anime. */
export function historyOf(ledger: Ledger): EpisodeHistory {
  return Object.fromEntries(Object.entries(ledger).map(([slug, claims]) => [slug, releasesOf(claims)]));
}

function releasesOf(claims: readonly Claim[]): EpisodeRelease[] {
  const releases: EpisodeRelease[] = [];
  for (const claim of claims.toReversed()) releases.unshift(...releaseOf(claim, releases[0]));
  return releases;
}

/** The episode as a release, where it is believed. `before`: the one before it. */
function releaseOf(claim: Claim, before: EpisodeRelease | undefined): EpisodeRelease[] {
  const { episode, releasedAt } = claim;
  const card = believedCard(claim);
  const isLast = card?.isLast ?? claim.isLast;
  const date = firstDay(claim, before && releaseDay(before));
  if (claim.isHidden || (date === undefined && releasedAt === undefined)) return [];
  // A number that was mistyped can show an episode again, weeks after its day.
  const isOfDay = card && (claim.row === undefined || addDays(claim.row, 1) >= card.date);
  const isSeen = isOfDay && card.after !== undefined && card.at - card.after <= MAX_GAP_MS;
  return [
    {
      episode,
      ...(isSeen && { seenAt: card.at }),
      ...(releasedAt !== undefined && { releasedAt }),
      ...(date !== undefined && { date }),
      ...(isLast && { isLast }),
    },
  ];
}

/**
 * The first day that is known of an episode. The year of a card that was not seen to appear is a guess, that of a row is not. One
 * that was seen to appear with a day before that of the episode before it is mistyped.
 */
function firstDay(claim: Claim, dayBefore = ''): string | undefined {
  const { row } = claim;
  const card = believedCard(claim);
  if (card === undefined) return row;
  const isSeen = card.after !== undefined;
  const day = isSeen && card.date < dayBefore ? sourceDate(card.at) : card.date;
  return row !== undefined && (!isSeen || row < day) ? row : day;
}
