import { setTimeout as sleep } from 'node:timers/promises';
import type { Calendar, CalendarState } from '../../domain/broadcast.ts';
import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { coalesce } from '../../domain/serial.ts';
import { HOUR_MS, MINUTE_MS, WEEK_MS } from '../../domain/units.ts';
import { startLeasedJob } from '../leased-job.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import type { Lease } from '../store.ts';
import { expectByBroadcasts } from './expect-broadcasts.ts';
import { MAX_REQUESTS, readCalendar } from './read-calendar.ts';

const READ_EVERY_MS = 6 * HOUR_MS;
const MAX_REQUESTS_IN_SIX_HOURS = 20;
const FIRST_RETRY_MS = 15 * MINUTE_MS;
/** How often it looks whether a reading is due. */
const LOOK_EVERY_MS = 15_000;
const KEY = 'broadcasts:calendar';

const EMPTY: Calendar = { readAt: 0, media: [], broadcasts: [] };

/** The calendar and its last readings, as the store keeps them; times in ms since 1970. */
interface StoredCalendar {
  /** BROADCASTS_URL at that time: what another address said does not count. */
  url: string;
  /** The last good one, and when it was read. */
  calendar: Calendar;
  readAt: number | null;
  /** Failed readings since then, and until when the calendar asked to wait after the last one. */
  failures: number;
  waitUntil: number;
  /** When requests were sent in the last six hours. */
  requests: number[];
}

interface CalendarOptions {
  store: SnapshotStore;
  /** The value of BROADCASTS_URL. */
  url: string;
  /** Whether this process reads it, too. */
  reads: boolean;
  userAgent: string;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

export type CalendarReader = Awaited<ReturnType<typeof openCalendar>>;

/**
 * Follows the stored calendar, and reads it every six hours in one process of those that share the store. A failure costs
 * nothing but the calendar: what was last good is used for a week, also where the store forgets it.
 */
export async function openCalendar({ store, url, reads, report, ...options }: CalendarOptions) {
  const { now } = options;
  let known: StoredCalendar = {
    ...{ url, calendar: EMPTY, readAt: null },
    ...{ failures: 0, waitUntil: 0, requests: [] },
  };
  /** The pause after a failure. It ends with the process: an operator who mends something starts again. */
  let pausedUntil = 0;

  /** Resolves with whether the store has one. */
  const load = coalesce(async () => {
    const stored = await store.values.get<StoredCalendar>(KEY);
    const isStored = stored?.url === url;
    if (isStored) known = stored.readAt === known.readAt ? { ...stored, calendar: known.calendar } : stored;
    return isStored;
  });

  async function work(lease: Lease, signal: AbortSignal, noteStart: () => void): Promise<void> {
    while (!signal.aborted && (await lease.isHeld())) {
      const isStored = await load();
      const isRead = isDue(known, pausedUntil, now());
      if (isRead) known = await readNext(known, signal);
      if (isRead || !isStored) await lease.write({ [KEY]: known });
      noteStart();
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  async function readNext(before: StoredCalendar, signal: AbortSignal): Promise<StoredCalendar> {
    const requests = recent(before.requests, now());
    try {
      const onRequest = () => void requests.push(now());
      const calendar = await readCalendar({ ...options, url, signal, onRequest });
      report({ type: 'calendar-read', broadcasts: calendar.broadcasts.length });
      return { url, calendar, readAt: calendar.readAt, failures: 0, waitUntil: 0, requests };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      report({ type: 'calendar-failed', error, isNews: before.failures === 0 });
      pausedUntil = now() + pauseAfter(before.failures);
      const waitUntil = now() + Math.min(error.retryAfterMs ?? 0, READ_EVERY_MS);
      return { ...before, failures: before.failures + 1, waitUntil, requests };
    }
  }

  const unwatch = store.watch(() => void load().catch(() => {}));
  await load().catch(() => {});
  const stop = reads
    ? startLeasedJob({ store, name: 'broadcasts', doing: 'reading the calendar', work, report })
    : undefined;
  return {
    state(): CalendarState {
      const { readAt, failures } = known;
      return { state: failures > 0 ? 'down' : readAt === null ? 'absent' : 'ok', readAt };
    },
    /** The same object until another one was read; empty where none is young enough. */
    current: () => (known.readAt !== null && known.readAt > now() - WEEK_MS ? known.calendar : EMPTY),
    expectByBroadcasts,
    /** Aborts a reading under way, and waits for its end. */
    async stop(): Promise<void> {
      unwatch();
      await stop?.();
    },
  };
}

/**
 * Whether it is to be read now, so that no six hours have more than 20 requests. A time that lies ahead is that of a wrong
 * clock.
 */
export function isDue(
  { readAt, failures, waitUntil, requests }: Omit<StoredCalendar, 'url' | 'calendar'>,
  pausedUntil: number,
  now: number,
): boolean {
  const retryAt = Math.max(waitUntil, pausedUntil);
  if (recent(requests, now).length + MAX_REQUESTS > MAX_REQUESTS_IN_SIX_HOURS) return false;
  if (failures > 0) return now >= retryAt || retryAt > now + READ_EVERY_MS;
  return readAt === null || now >= readAt + READ_EVERY_MS || readAt > now + MINUTE_MS;
}

/** The pause after another failed reading, ms. */
export function pauseAfter(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** failures, READ_EVERY_MS);
}

function recent(requests: readonly number[], now: number): number[] {
  return requests.filter((at) => at > now - READ_EVERY_MS && at <= now);
}
