import { hash } from 'node:crypto';
import { countScheduled, type Listing, listedSlugs } from '../../domain/listing.ts';
import { WEEK_MS } from '../../domain/units.ts';
import { refuse } from '../../source/source.ts';
import { type Confirmation, countCrawl, isConfirmed } from './confirmation.ts';

/** Fewer entries than this share of the last good ones count as a fault, until enough crawls confirm them. */
const MIN_KEPT = 1 / 2;
/** After this time, a completely different list is plausible. */
const EXCHANGE_MS = WEEK_MS;
/** A list moves between two crawls: they agree when this share of all their anime is in both. */
const MIN_AGREEMENT = 3 / 4;
const HASH_LENGTH = 8;

/** A much shorter listing than the last good one, as at the end of a season, and the crawls that have shown it. */
export interface Shrinkage extends Confirmation {
  reason: string;
  /** Which anime it had, as short hashes of their slugs: two crawls agree when most are the same. */
  anime: string[];
}

interface LastGood {
  listing: Listing;
  /** The end of the crawl that last confirmed it, ms since 1970. */
  confirmedAt: number;
}

/** Returns null when the listing has not shrunk; else its shrinkage, a continuation of `noted` if the two agree. */
export function noteShrinkage(
  listing: Listing,
  lastGood: LastGood | undefined,
  noted: Shrinkage | null,
  now: number,
): Shrinkage | null {
  const reason =
    lastGood && (describeLoss(listing, lastGood.listing) ?? describeExchange(listing, lastGood, now));
  if (!reason) return null;
  const anime = hashAnime(listing);
  const before = noted && agree(noted.anime ?? [], anime) ? noted : undefined;
  return { reason, anime, ...countCrawl(before, now) };
}

/** Throws AppError `source-changed` unless enough crawls agree. */
export function checkConfirmed(shrinkage: Shrinkage, now: number): void {
  if (isConfirmed(shrinkage, now)) return;
  const advice = 'it is accepted once three crawls over six hours agree, or with npm run refresh -- --force';
  refuse(`${shrinkage.reason}; ${advice}`);
}

function describeLoss(listing: Listing, lastGood: Listing): string | undefined {
  const parts = [
    ['the ongoing list', listing.ongoing.length, lastGood.ongoing.length],
    ['the schedule', countScheduled(listing.schedule), countScheduled(lastGood.schedule)],
  ] as const;
  const shrunk = parts.find(([, count, before]) => count < before * MIN_KEPT);
  return shrunk && `${shrunk[0]} has ${shrunk[1]} entries, fewer than half of the last good ${shrunk[2]}`;
}

/** A list that changes completely within days is probably from another site with the same theme and the same name. */
function describeExchange(
  listing: Listing,
  { listing: before, confirmedAt }: LastGood,
  now: number,
): string | undefined {
  const listed = new Set(listing.ongoing.map((anime) => anime.slug));
  const kept = before.ongoing.filter((anime) => listed.has(anime.slug)).length;
  if (kept >= before.ongoing.length * MIN_KEPT || now - confirmedAt > EXCHANGE_MS) return undefined;
  return `the ongoing list holds ${kept} of the last good ${before.ongoing.length} entries, fewer than half`;
}

function hashAnime(listing: Listing): string[] {
  return [...listedSlugs(listing)].map((slug) => hash('sha256', slug, 'base64url').slice(0, HASH_LENGTH));
}

function agree(before: readonly string[], after: readonly string[]): boolean {
  const known = new Set(before);
  const all = known.union(new Set(after));
  return after.filter((one) => known.has(one)).length >= all.size * MIN_AGREEMENT;
}
