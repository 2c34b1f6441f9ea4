import { AppError } from '../domain/errors.ts';
import { countScheduled, type Listing } from '../domain/listing.ts';
import { type Card, isUnreadable, type OngoingPage, type SchedulePage } from '../source/source.ts';

/**
 * What keeps a page that looks right from replacing good data. Each check throws AppError `source-changed` with a
 * reason that a person understands. `force` is an operator who has looked at the site and says that it is so.
 */

/** More unreadable cards than this share, and it is the page that has changed, not a slip of an editor's. */
const MOST_UNREADABLE = 1 / 10;

export function checkSchedulePage(page: SchedulePage, force: boolean): void {
  const cards = page.groups.flatMap<Card<object>>((group) => group.cards);
  if (cards.length === 0) refuse('the schedule is empty');
  checkReadable(cards, 'the schedule', force);
}

/** Checks one page against what was asked for and against the first page. */
export function checkOngoingPage(page: OngoingPage, asked: number, first: OngoingPage, force: boolean): void {
  const name = `page ${asked} of the ongoing list`;
  if (page.number !== asked) refuse(`${name} was asked for, page ${page.number} came`);
  if (page.cards.length === 0)
    refuse(`${name} has no cards${asked > 1 ? ` although the pager goes to ${first.lastNumber}` : ''}`);
  if (asked < page.lastNumber && page.cards.length < first.cards.length && !force) {
    refuse(
      `${name} has ${page.cards.length} cards although it is not the last and page 1 has ${first.cards.length}`,
    );
  }
  if (page.cards.length > first.cards.length && !force) {
    refuse(`${name} has ${page.cards.length} cards, more than page 1 with ${first.cards.length}`);
  }
}

/** Checks the walked list as a whole. */
export function checkReadablePages(pages: readonly OngoingPage[], force: boolean): void {
  checkReadable(
    pages.flatMap<Card<object>>((page) => page.cards),
    'the ongoing list',
    force,
  );
}

function checkReadable(cards: readonly Card<object>[], where: string, force: boolean): void {
  const unreadable = cards.filter(isUnreadable);
  if (force || unreadable.length <= cards.length * MOST_UNREADABLE) return;
  const fields = Map.groupBy(
    unreadable.flatMap((card) => card.faults.map((fault) => fault.field)),
    (field) => field,
  );
  const worst = [...fields.values()].sort((a, b) => b.length - a.length)[0] ?? [];
  refuse(
    `${unreadable.length} of ${cards.length} cards of ${where} cannot be read; ${worst[0]} is missing on ${worst.length}`,
  );
}

/** Refuses a listing with nothing in it: whatever the reason, it is not news. */
export function checkNotEmpty(listing: Listing): void {
  if (listing.ongoing.length === 0) refuse('nothing of the ongoing list can be read');
  if (countScheduled(listing.schedule) === 0) refuse('nothing of the schedule can be read');
}

function refuse(reason: string): never {
  throw new AppError('source-changed', reason);
}
