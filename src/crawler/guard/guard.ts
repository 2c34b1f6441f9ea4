import { AppError } from '../../domain/errors.ts';
import { countScheduled, type Listing, listedSlugs, PAGE_SIZE } from '../../domain/listing.ts';
import {
  type Card,
  type CardFault,
  isUnreadable,
  type OngoingPage,
  refuse,
  type SchedulePage,
} from '../../source/source.ts';
import type { ReadPages } from './crawl-index.ts';

/**
 * Checks that keep a faulty page from replacing good data. Each throws AppError `source-changed` with a reason for
 * people. An operator sets `force` after checking that the site really looks like this.
 */

/** A larger share of unreadable cards means that the markup has changed, a smaller one that an editor made mistakes. */
const MAX_UNREADABLE = 1 / 10;

export function checkSchedulePage(page: SchedulePage, force: boolean): void {
  const cards = page.groups.flatMap<Card<object>>((group) => group.cards);
  if (cards.length === 0) refuse('the schedule is empty');
  checkReadable(cards, 'the schedule', force);
}

/** Compares a page with the page number that was requested, and with the first page. */
export function checkOngoingPage(
  page: OngoingPage,
  requested: number,
  first: OngoingPage,
  force: boolean,
): void {
  const name = `page ${requested} of the ongoing list`;
  if (page.number !== requested) refuse(`${name} was requested, but page ${page.number} was sent`);
  if (page.cards.length === 0)
    refuse(`${name} has no cards${requested > 1 ? ` although the pager goes to ${first.lastNumber}` : ''}`);
  if (requested < page.lastNumber && page.cards.length < first.cards.length && !force) {
    refuse(
      `${name} has ${page.cards.length} cards although it is not the last and page 1 has ${first.cards.length}`,
    );
  }
  if (page.cards.length > first.cards.length && !force) {
    refuse(`${name} has ${page.cards.length} cards, more than page 1 with ${first.cards.length}`);
  }
}

/**
 * Refuses a list that has lost its pager, which looks like a list of one page. The schedule shows the difference: it has
 * no more anime than the complete list.
 */
export function checkPager(pages: readonly OngoingPage[], schedule: SchedulePage, force: boolean): void {
  const [cards] = pages.map((page) => page.cards.length);
  const scheduled = new Set(schedule.groups.flatMap((group) => group.cards.map((card) => card.slug))).size;
  if (force || pages.length > 1 || !cards || cards < PAGE_SIZE || scheduled <= cards) return;
  refuse(
    `the ongoing list has ${cards} cards and no pager although the schedule has ${scheduled} anime: its pager has probably been renamed`,
  );
}

/** Checks all pages of the list together. */
export function checkReadablePages(pages: readonly OngoingPage[], force: boolean): void {
  checkReadable(
    pages.flatMap<Card<object>>((page) => page.cards),
    'the ongoing list',
    force,
  );
}

function checkReadable(cards: readonly Card<object>[], where: string, force: boolean): void {
  const unreadable = cards.filter(isUnreadable);
  if (force || unreadable.length <= cards.length * MAX_UNREADABLE) return;
  const byField = Map.groupBy(
    unreadable.flatMap((card) => card.faults),
    (fault) => fault.field,
  );
  const reasons = [...byField].map(([field, faults]) => describeFaults(field, faults, cards.length));
  refuse(`${where} cannot be read: ${reasons.join('; ')}`);
}

/** Refuses pages with too many contradictions, among each other or with the last good listing, also with `force`. */
export function checkConsistent({ schedule, pages }: ReadPages): void {
  const parts = {
    'the schedule': schedule.groups.flatMap<Card<object>>((group) => group.cards),
    'the ongoing list': pages.flatMap<Card<object>>((page) => page.cards),
  };
  for (const [where, cards] of Object.entries(parts)) {
    const faults = cards.filter(isUnreadable).flatMap((card) => card.faults.filter((one) => one.against));
    if (faults.length <= cards.length * MAX_UNREADABLE) continue;
    const byField = Map.groupBy(faults, (fault) => fault.field);
    const reasons = [...byField].map(([field, some]) => describeContradictions(field, some, cards.length));
    refuse(`${where} contradicts what is known: ${reasons.join('; ')}`);
  }
}

/** `title differs on 24 of 25 cards: for instance, "A" contradicts the schedule` */
function describeContradictions(field: string, faults: CardFault[], cards: number): string {
  const [first] = faults;
  return `${field} differs on ${faults.length} of ${cards} cards: for instance, "${first?.found}" contradicts ${first?.against}`;
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
  const known = new Set(lastGood?.ongoing.map((anime) => anime.slug));
  const slugs = [...new Set(pages.flatMap((page) => page.cards.map((card) => card.slug)))];
  const familiar = slugs.filter((slug) => slug !== undefined && known.has(slug)).length;
  if (familiar >= slugs.length / 2) return;
  const reason = `the source redirects to ${origin}, where ${familiar} of ${slugs.length} anime are known, too few to trust it`;
  throw new AppError('source-moved', `${reason}. If it is the site's new address, add it to SOURCE_URLS`);
}

/**
 * Far more than a season has. An edition has pages for each anime, and the crawler's thread counts as frozen when it takes
 * ten seconds to render them.
 */
const MAX_ANIME = 2_500;

/** Refuses a listing that is too large to be rendered in time, now and at each start. */
export function checkSize(listing: Listing): void {
  const { size } = listedSlugs(listing);
  if (size > MAX_ANIME)
    refuse(`the source lists ${size} anime, more than the ${MAX_ANIME} that are plausible`);
}

/** Refuses a listing with an empty part. */
export function checkNotEmpty(listing: Listing): void {
  if (listing.ongoing.length === 0) refuse('nothing of the ongoing list can be read');
  if (countScheduled(listing.schedule) === 0) refuse('nothing of the schedule can be read');
}
