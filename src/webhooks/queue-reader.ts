import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { Status } from '../crawler/source-state.ts';
import { appendNotice, type NoticeLog, readNotices, sourceNotice } from './notices.ts';
import type { QueueContent } from './queue.ts';

export interface QueueReader {
  /** The result of the last reading; empty before the first. */
  content(): QueueContent;
  /** Reads what is new, and appends a notice of the source if one is due. One reading at a time. */
  read(): Promise<void>;
}

interface QueueReaderOptions {
  store: SnapshotStore;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** Reads both logs from the store. The snapshot and its events are read only when they have changed. */
export function createQueueReader({ store, now }: QueueReaderOptions): QueueReader {
  let content: QueueContent = { events: { last: 0, entries: [] }, notices: { last: 0, entries: [] } };
  let changedAt: number | null = null;
  let reading: Promise<void> = Promise.resolve();
  let isWaiting = false;

  async function readNow(): Promise<void> {
    const status = await store.readStatus();
    const { last, notices: entries } = await readLog(status);
    const events = status.changedAt === changedAt ? content.events : await readEvents();
    content = { events, notices: { last, entries } };
    changedAt = status.changedAt;
  }

  async function readLog(status: Status): Promise<NoticeLog> {
    const log = await readNotices(store);
    const decide = (latest: NoticeLog) => sourceNotice(status, latest, now());
    if (!decide(log)) return log;
    await appendNotice(store, decide, now());
    return readNotices(store);
  }

  async function readEvents(): Promise<QueueContent['events']> {
    const last = (await store.readSnapshot())?.lastEvent ?? 0;
    return { last, entries: await store.readEvents(last) };
  }

  return {
    content: () => content,
    read() {
      // A reading that has not begun will see the change that led to this call.
      if (isWaiting) return reading;
      isWaiting = true;
      reading = reading
        .catch(() => {})
        .then(() => {
          isWaiting = false;
          return readNow();
        });
      return reading;
    },
  };
}
