import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { AnimeEvent } from '../domain/event.ts';
import { changedAt } from '../domain/listing.ts';
import type { Notice } from '../domain/notice.ts';
import { eventMessage, type Message, noticeMessage } from './message.ts';

/** What all receivers are sent: the events up to the last one of the snapshot, and the notices; oldest first. */
export interface QueueContent {
  epoch: string;
  /** The number of the last event. Events may be missing: they are dropped by age. */
  lastEvent: number;
  events: readonly AnimeEvent[];
  notices: readonly Notice[];
}

/** The progress of a receiver. */
export interface Cursor {
  /** The last event that was delivered or dropped, and the epoch of its number. */
  epoch: string;
  event: number;
  /** The time of the last notice that was delivered or dropped, ms since 1970. */
  notice: number;
}

export interface Queued {
  message: Message;
  /** The cursor after this message. */
  after: Cursor;
}

/** Reads the events if they have changed. A store that has forgotten some that this process knows gets them back. */
export async function readQueue(store: SnapshotStore, notices: readonly Notice[]): Promise<QueueContent> {
  const { changedAt: storedAt } = await store.readStatus();
  const known = store.known().listing;
  if (!known || changedAt(known.snapshot) !== storedAt) await store.readListing();
  const { listing } = store.known();
  if (!listing) return { epoch: '', lastEvent: 0, events: [], notices };
  const { snapshot, events } = listing;
  const { epoch, lastEvent } = snapshot;
  return { epoch, lastEvent, events, notices };
}

/** The cursor of a new receiver, which gets only later messages. */
export function cursorAtEnd({ epoch, lastEvent, notices }: QueueContent): Cursor {
  return { epoch, event: lastEvent, notice: notices.at(-1)?.at ?? 0 };
}

/**
 * The cursor in the numbering of the queue. Where that began without the one of the cursor, as in a store that was lost
 * with every process, what happened after `usedAt` (ms since 1970) is new.
 */
export function toCurrentEpoch(cursor: Cursor, content: QueueContent, usedAt: number): Cursor {
  const { epoch, events } = content;
  const { notice } = cursor;
  if (cursor.epoch === epoch) return cursor;
  // Before the first listing there is no epoch, and every event is new.
  const isNew = ({ at }: AnimeEvent) => cursor.epoch === '' || at > usedAt;
  return { epoch, event: events.findLast((event) => !isNew(event))?.number ?? 0, notice };
}

/** Returns the next event or the next notice, whichever happened first; of two at the same time, the event. */
export function nextMessage({ events, notices }: QueueContent, cursor: Cursor): Queued | undefined {
  const event = events.find(({ number }) => number > cursor.event);
  const notice = notices.find(({ at }) => at > cursor.notice);
  if (event && (!notice || event.at <= notice.at))
    return { message: eventMessage(event), after: { ...cursor, event: event.number } };
  return notice && { message: noticeMessage(notice), after: { ...cursor, notice: notice.at } };
}

export function countPending({ lastEvent, notices }: QueueContent, { event, notice }: Cursor): number {
  return Math.max(0, lastEvent - event) + notices.filter(({ at }) => at > notice).length;
}

/** Returns the cursor after everything that happened before `at`, ms since 1970. */
export function skipBefore({ events, notices }: QueueContent, cursor: Cursor, at: number): Cursor {
  const isEarlier = (one: { at: number }) => one.at < at;
  return {
    epoch: cursor.epoch,
    event: Math.max(cursor.event, events.findLast(isEarlier)?.number ?? 0),
    notice: Math.max(cursor.notice, notices.findLast(isEarlier)?.at ?? 0),
  };
}
