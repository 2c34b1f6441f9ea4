import { hash } from 'node:crypto';
import type { ReadPages } from '../belief/reading.ts';
import { AppError } from '../domain/errors.ts';
import { type Listing, listEntries, listedSlugs } from '../domain/listing.ts';
import {
  type Card,
  type CardFault,
  listUnreadable,
  type OngoingPage,
  refusePage,
  type SchedulePage,
} from '../source/source.ts';

/**
 * Checks that pages are whole and belong together; `belief/` judges the contents. Each throws AppError `source-changed`
 * with a reason for people. An operator sets `force` after checking that the site really looks like this.
 */

/** A larger share of unreadable cards means changed markup, a smaller one an editor's mistakes. */
const MAX_UNREADABLE = 1 / 10;
/** A page before the last has at least this share of the cards of the fullest one. */
const MIN_FULL = 4 / 5;
/** A list of one page has fewer anime than the schedule by this factor at most. */
const MAX_SCHEDULED = 3 / 2;
/** The ongoing list has all scheduled anime when both pages are current, and at least this share of them. */
const MIN_SHARED = 1 / 4;

export function checkSchedulePage(page: SchedulePage, force: boolean): void {
  if (page.groups.every(({ cards }) => cards.length === 0)) refusePage('the schedule is empty');
  checkReadable(page.groups, 'the schedule', force);
}

/** Compares a page with the page number that was requested. */
export function checkOngoingPage(page: OngoingPage, requested: number, first: OngoingPage): void {
  const name = `page ${requested} of the ongoing list`;
  if (page.number !== requested) refusePage(`${name} was requested, but page ${page.number} was sent`);
  if (page.cards.length > 0) return;
  refusePage(`${name} has no cards${requested > 1 ? ` although the pager goes to ${first.lastNumber}` : ''}`);
}

/** Refuses a page before the last that has much fewer cards than the others. Few cards more or less are no fault. */
export function checkPageSizes(pages: readonly OngoingPage[], force: boolean): void {
  const sizes = pages.slice(0, -1).map(({ cards }) => cards.length);
  const usual = Math.max(...sizes, pages[1]?.cards.length ?? 0);
  const short = sizes.findIndex((size) => size < usual * MIN_FULL);
  if (force || short === -1) return;
  refusePage(
    `page ${short + 1} of the ongoing list has ${sizes[short]} cards although it is not the last and others have ${usual}`,
  );
}

/**
 * Checks the first crawl, which has nothing to compare with. A list that has lost its pager looks like a list of one
 * page: the schedule shows the difference, because it has no more anime than the complete list. And the two share their
 * anime.
 */
export function checkFirst({ schedule, pages }: ReadPages, force: boolean): void {
  const scheduled = slugsOf(schedule.groups);
  const listed = slugsOf(pages);
  if (!force && pages.length === 1 && scheduled.size > listed.size * MAX_SCHEDULED) {
    refusePage(
      `the ongoing list has ${listed.size} cards and no pager although the schedule has ${scheduled.size} anime: its pager has probably been renamed`,
    );
  }
  const shared = scheduled.intersection(listed).size;
  if (shared >= scheduled.size * MIN_SHARED) return;
  refusePage(`the ongoing list has ${shared} of the ${scheduled.size} anime of the schedule`);
}

/** Refuses a list with too many unreadable cards. The pages of a list are checked together. */
export function checkReadable(
  pages: readonly { cards: readonly Card<object>[] }[],
  where: string,
  force: boolean,
): void {
  const cards = pages.flatMap((page) => page.cards);
  const unreadable = listUnreadable(cards);
  if (force || unreadable.length <= cards.length * MAX_UNREADABLE) return;
  const byField = Map.groupBy(
    unreadable.flatMap((card) => card.faults),
    (fault) => fault.field,
  );
  const reasons = [...byField].map(([field, faults]) => describeFaults(field, faults, cards.length));
  refusePage(`${where} cannot be read: ${reasons.join('; ')}`);
}

/** `title is missing on 25 of 25 cards: .jdlflm is probably renamed` */
function describeFaults(field: string, faults: CardFault[], cards: number): string {
  const missing = faults.filter((fault) => fault.missing);
  if (missing.length * 2 > faults.length) {
    return `${field} is missing on ${missing.length} of ${cards} cards: ${missing[0]?.missing} is probably renamed`;
  }
  return `${field} is unreadable on ${faults.length} of ${cards} cards, for instance "${faults[0]?.found}"`;
}

/**
 * A host that is not configured is trusted if at least half of its anime are in the last good list. Throws AppError
 * `source-moved` otherwise: it may be an imitation of the site, or a new owner of its name.
 */
export function checkFamiliar(
  origin: string,
  pages: readonly OngoingPage[],
  lastGood: Listing | undefined,
): void {
  const slugs = slugsOf(pages);
  const familiar = slugs.intersection(slugsOf([{ cards: lastGood?.ongoing ?? [] }])).size;
  if (familiar > 0 && familiar >= slugs.size / 2) return;
  const reason = `the source redirects to ${origin}, where ${familiar} of ${slugs.size} anime are known, too few to trust it`;
  throw new AppError('source-moved', `${reason}. If it is the site's new address, add it to SOURCE_URLS`);
}

/** The anime of the cards of some pages. */
export function slugsOf(pages: readonly { cards: readonly { slug?: string | undefined }[] }[]): Set<string> {
  return new Set(pages.flatMap(({ cards }) => cards.flatMap(({ slug }) => slug ?? [])));
}

/**
 * Far more than a season has. An edition has pages for each anime, and the crawler's thread counts as frozen when it takes
 * ten seconds to render them.
 */
const MAX_ANIME = 2_500;

/** Refuses a listing with an empty part, and a listing too large to render in time, now and at each start. */
export function checkListing(listing: Listing): void {
  if (listing.ongoing.length === 0) refusePage('nothing of the ongoing list can be read');
  if (listEntries(listing.schedule).length === 0) refusePage('nothing of the schedule can be read');
  const { size } = listedSlugs(listing);
  if (size > MAX_ANIME)
    refusePage(`the source lists ${size} anime, more than the ${MAX_ANIME} that are plausible`);
}

/** Two readings of page 1 with the same digest lead to the same listing, up to the hosts of its covers: mirrors have their own. */
export function digestPage({ number, lastNumber, cards, alts }: OngoingPage): string {
  const withoutHost = (key: string, value: unknown) =>
    key === 'image' ? URL.parse(String(value))?.pathname : value;
  return hash('sha256', JSON.stringify([number, lastNumber, cards, alts], withoutHost), 'base64url');
}
