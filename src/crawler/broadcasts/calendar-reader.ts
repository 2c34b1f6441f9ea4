import { setTimeout as sleep } from 'node:timers/promises';
import type { Foresee } from '../../belief/expectations/foresee.ts';
import { foreseeByBroadcasts } from '../../belief/expectations/foresee-by-broadcasts.ts';
import type { Calendar } from '../../domain/broadcast.ts';
import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { coalesce } from '../../domain/serial.ts';
import { HOUR_MS, MINUTE_MS, WEEK_MS } from '../../domain/units.ts';
import { startLeasedJob } from '../../store/leased-job.ts';
import type { SnapshotStore } from '../../store/snapshot-store.ts';
import type { Lease } from '../../store/store.ts';
import { MAX_REQUESTS, readCalendar } from './read-calendar.ts';

const READ_EVERY_MS = 6 * HOUR_MS;
/** How often it looks whether a reading is due. */
const LOOK_EVERY_MS = 15_000;
const KEY = 'broadcasts';
const EMPTY: Calendar = { readAt: 0, media: [] };

/** The last good calendar and how the last reading went, as the store keeps them. */
interface StoredCalendar {
  /** BROADCASTS_URL at that time: what another address said does not count. */
  url: string;
  calendar: Calendar;
  isDown: boolean;
  /** When the next reading is due, ms since 1970. */
  nextAt: number;
}

interface CalendarOptions {
  store: SnapshotStore;
  /** The value of BROADCASTS_URL. */
  url: string;
  userAgent: string;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** Follows the stored calendar, and reads it. A failure affects only the calendar: the last good one is used for a week. */
export interface CalendarReader {
  foresee: Foresee;
  /** When the current calendar was read, ms since 1970; 0 without one. */
  readAt(): number;
  state(): CalendarState;
  /** Reads it every six hours, in one process of those that share the store. */
  start(): void;
  /** Aborts a reading under way, and waits for its end. */
  stop(): Promise<void>;
}

/** `absent`: none is young enough, and the last reading has not failed. */
export interface CalendarState {
  state: 'ok' | 'down' | 'absent';
  /** ms since 1970; null where none was read. */
  readAt: number | null;
}

export async function openCalendar(options: CalendarOptions): Promise<CalendarReader> {
  const { store, url, userAgent, report, now } = options;
  const { memory } = store;
  let known: StoredCalendar = memory.recall<StoredCalendar>(KEY) ?? {
    url,
    calendar: EMPTY,
    isDown: false,
    nextAt: 0,
  };

  const load = coalesce(async () => {
    const stored = await store.values.get<StoredCalendar>(KEY);
    if (stored?.url === url) learn(stored);
  });

  function learn(latest: StoredCalendar): void {
    known = latest;
    memory.note(KEY, known);
  }

  async function work(lease: Lease, signal: AbortSignal, noteStart: () => void): Promise<void> {
    while (!signal.aborted && (await lease.isHeld())) {
      await load();
      if (isDue(known.nextAt, now())) {
        // A process that dies, or cannot write again, has sent as many requests as it may.
        await lease.write({ [KEY]: { ...known, nextAt: nextReadingAt(now(), MAX_REQUESTS) } });
        await readNext(signal);
        await lease.write({ [KEY]: known });
      }
      noteStart();
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  async function readNext(signal: AbortSignal): Promise<void> {
    let requests = 0;
    try {
      const onRequest = () => {
        requests += 1;
      };
      const calendar = await readCalendar({ url, userAgent, now, signal, onRequest });
      learn({ url, calendar, isDown: false, nextAt: nextReadingAt(now(), MAX_REQUESTS) });
      report({ type: 'calendar-read', anime: calendar.media.length });
    } catch (error) {
      known = { ...known, nextAt: nextReadingAt(now(), requests) };
      if (signal.aborted) return;
      if (!(error instanceof AppError)) throw error;
      report({ type: 'calendar-failed', error, isNews: !known.isDown });
      known = { ...known, isDown: true, nextAt: nextReadingAt(now(), requests, error.retryAfterMs) };
    }
  }

  /** Empty where none is young enough. */
  const current = () => (known.calendar.readAt > now() - WEEK_MS ? known.calendar : EMPTY);
  const foresee: Foresee = (believed, at) => foreseeByBroadcasts(current(), believed, at);

  const unwatch = store.watch(() => void load().catch(() => {}));
  await load().catch(() => {});
  let stopReading: (() => Promise<void>) | undefined;
  return {
    foresee,
    readAt: () => current().readAt,
    state() {
      const readAt = known.calendar.readAt || null;
      if (known.isDown) return { state: 'down', readAt };
      return { state: readAt === null ? 'absent' : 'ok', readAt };
    },
    start() {
      stopReading = startLeasedJob({
        store,
        name: 'broadcasts',
        doing: 'reading the calendar',
        work,
        report,
      });
    },
    async stop() {
      unwatch();
      await stopReading?.();
    },
  };
}

/**
 * The time of the next reading after so many requests, ms since 1970. Each request delays it by a tenth of six hours,
 * and a reading sends ten at most, so no six hours have more than twenty.
 */
export function nextReadingAt(now: number, requests: number, retryAfterMs = 0): number {
  const waitMs = Math.max((requests * READ_EVERY_MS) / MAX_REQUESTS, retryAfterMs, MINUTE_MS);
  return now + Math.min(waitMs, READ_EVERY_MS);
}

/** A time that is further away was stored while the clock was ahead. */
export function isDue(nextAt: number, now: number): boolean {
  return now >= nextAt || nextAt > now + READ_EVERY_MS;
}
