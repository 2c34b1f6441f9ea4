import type { AnimeEvent } from '../domain/event.ts';
import type { Notice } from '../domain/notice.ts';
import { eventMessage, type Message, noticeMessage } from './message.ts';

/** The logs that all receivers share: of events, up to the last one of the snapshot, and of notices. */
export interface QueueContent {
  events: Log<AnimeEvent>;
  notices: Log<Notice>;
}

/** In the order of their numbers, up to `last`. Entries may be missing: they are dropped by age, and a clock may be set. */
interface Log<Entry> {
  last: number;
  entries: readonly Entry[];
}

/** The progress of a receiver: the numbers of the last event and the last notice that were delivered or dropped. */
export interface Cursor {
  event: number;
  notice: number;
}

export interface Queued {
  message: Message;
  /** The cursor after this message. */
  after: Cursor;
}

/** The cursor of a new receiver, which gets only later messages. */
export function cursorAtEnd({ events, notices }: QueueContent): Cursor {
  return { event: events.last, notice: notices.last };
}

/** Moves a cursor that is past the end of the logs to the end: it belongs to an earlier store, which was lost. */
export function clampToLogs(cursor: Cursor, content: QueueContent): Cursor {
  const end = cursorAtEnd(content);
  return { event: Math.min(cursor.event, end.event), notice: Math.min(cursor.notice, end.notice) };
}

/** Returns the next event or the next notice, whichever happened first; of two at the same time, the event. */
export function nextMessage(content: QueueContent, cursor: Cursor): Queued | undefined {
  const event = entryAfter(content.events, cursor.event);
  const notice = entryAfter(content.notices, cursor.notice);
  if (event && (!notice || event.at <= notice.at))
    return { message: eventMessage(event), after: { ...cursor, event: event.number } };
  return notice && { message: noticeMessage(notice), after: { ...cursor, notice: notice.number } };
}

export function countPending(content: QueueContent, cursor: Cursor): number {
  const { event, notice } = cursorAtEnd(content);
  return Math.max(0, event - cursor.event) + Math.max(0, notice - cursor.notice);
}

/** Returns the cursor after everything that happened before `at`, ms since 1970. */
export function skipBefore({ events, notices }: QueueContent, cursor: Cursor, at: number): Cursor {
  const lastBefore = (log: Log<{ number: number; at: number }>, number: number) =>
    Math.max(number, log.entries.findLast((entry) => entry.at < at)?.number ?? 0);
  return { event: lastBefore(events, cursor.event), notice: lastBefore(notices, cursor.notice) };
}

/** The first entry with a larger number. Dropped entries are skipped. */
function entryAfter<Entry extends { number: number }>(
  { entries }: Log<Entry>,
  number: number,
): Entry | undefined {
  return entries.find((entry) => entry.number > number);
}
