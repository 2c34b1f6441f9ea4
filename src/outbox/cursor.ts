import type { AnimeEvent } from '../domain/event.ts';
import { changedAt, renamedSlugs } from '../domain/snapshot.ts';
import { nameOf, numberIn } from '../store/event-position.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { Notice } from './notices.ts';

/** What all receivers are sent, oldest first. */
export interface Log {
  /** Empty before the first listing. */
  epoch: string;
  events: readonly AnimeEvent[];
  notices: readonly Notice[];
  /** The current slug of each renamed anime, by its former slugs. */
  renamed: ReadonlyMap<string, string>;
}

/** How far a receiver has come: the last event and the last notice that were delivered or dropped. */
export interface Cursor {
  /** The name of its position in the events. */
  position: string;
  /** The times of the event and of the notice, ms since 1970. */
  eventAt: number;
  noticeAt: number;
}

/**
 * Reads the events if they have changed. A store that has forgotten some that this process knows gets them back.
 * `now`: ms since 1970.
 */
export async function readLog(store: SnapshotStore, notices: readonly Notice[], now: number): Promise<Log> {
  const { changedAt: storedAt } = await store.readStatus();
  const known = store.known().listing;
  if (!known || changedAt(known.snapshot) !== storedAt) await store.readListing();
  const { listing } = store.known();
  const renamed = listing ? renamedSlugs(listing.snapshot, now) : new Map<string, string>();
  return { epoch: listing?.snapshot.epoch ?? '', events: listing?.events ?? [], notices, renamed };
}

/** The cursor of a new receiver, which gets only what happens from `now` on. */
export function cursorAtEnd(log: Log, now: number): Cursor {
  const beginning = { position: log.epoch, eventAt: now - 1, noticeAt: 0 };
  return moveTo(log, beginning, log.events.at(-1), log.notices.at(-1));
}

/** The cursor at an event and a notice; where there is none, it stays. */
export function moveTo(log: Log, cursor: Cursor, event?: AnimeEvent, notice?: Notice): Cursor {
  return {
    position: event ? nameOf(log.epoch, event) : cursor.position,
    eventAt: event?.at ?? cursor.eventAt,
    noticeAt: notice?.at ?? cursor.noticeAt,
  };
}

/** Where the position is not one of this log, as in a store that was lost or set back, what is younger than it is new. */
export function eventsAfter({ epoch, events }: Log, { position, eventAt }: Cursor): readonly AnimeEvent[] {
  if (position === epoch) return events;
  const number = numberIn(position);
  const index = events.findIndex((event) => event.number === number);
  const isKnown = index >= 0 && nameOf(epoch, events[index]) === position;
  return isKnown ? events.slice(index + 1) : events.filter(({ at }) => at > eventAt);
}

export function noticesAfter({ notices }: Log, { noticeAt }: Cursor): readonly Notice[] {
  return notices.filter(({ at }) => at > noticeAt);
}

export function countPending(log: Log, cursor: Cursor): number {
  return eventsAfter(log, cursor).length + noticesAfter(log, cursor).length;
}

/** The cursor after everything that happened before `at`, ms since 1970. */
export function skipBefore(log: Log, cursor: Cursor, at: number): Cursor {
  const isEarlier = (one: { at: number }) => one.at < at;
  return moveTo(
    log,
    cursor,
    eventsAfter(log, cursor).findLast(isEarlier),
    noticesAfter(log, cursor).findLast(isEarlier),
  );
}
