import { setTimeout as sleep } from 'node:timers/promises';
import type { Calendar, CalendarState } from '../../domain/broadcast.ts';
import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { coalesce } from '../../domain/serial.ts';
import { HOUR_MS, MINUTE_MS, WEEK_MS } from '../../domain/units.ts';
import { startLeasedJob } from '../leased-job.ts';
import type { SnapshotStore } from '../snapshot-store.ts';
import type { Lease } from '../store.ts';
import type { Foresee } from '../timing/foresee.ts';
import { foreseeByBroadcasts } from './foresee-by-broadcasts.ts';
import { MAX_REQUESTS, readCalendar } from './read-calendar.ts';

const READ_EVERY_MS = 6 * HOUR_MS;
const MAX_REQUESTS_IN_SIX_HOURS = 20;
const RETRY_MS = 15 * MINUTE_MS;
/** How often it looks whether a reading is due. */
const LOOK_EVERY_MS = 15_000;
const KEY = 'broadcasts:calendar';
const EMPTY: Calendar = { readAt: 0, media: [], broadcasts: [] };

/** The last good calendar and how its readings went, as the store keeps them; times in ms since 1970. */
interface StoredCalendar {
  /** BROADCASTS_URL at that time: what another address said does not count. */
  url: string;
  calendar: Calendar;
  /** Whether the last reading failed, and when the next one may be. */
  isDown: boolean;
  nextAt: number;
  /** When requests were sent in the last six hours. */
  requests: number[];
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

export type CalendarReader = Awaited<ReturnType<typeof openCalendar>>;

/** Follows the stored calendar. A failure costs nothing but the calendar: what was last good is used for a week. */
export async function openCalendar({ store, url, userAgent, report, now }: CalendarOptions) {
  let known: StoredCalendar = { url, calendar: EMPTY, isDown: false, nextAt: 0, requests: [] };

  const load = coalesce(async () => {
    const stored = await store.values.get<StoredCalendar>(KEY);
    if (stored?.url !== url) return;
    const isSame = stored.calendar.readAt === known.calendar.readAt;
    known = isSame ? { ...stored, calendar: known.calendar } : stored;
  });

  async function work(lease: Lease, signal: AbortSignal, noteStart: () => void): Promise<void> {
    while (!signal.aborted && (await lease.isHeld())) {
      await load();
      if (isDue(known, now())) {
        const requests = recent(known.requests, now());
        // A process that dies, or cannot write again, has sent as many as it may.
        const most = [...requests, ...Array.from({ length: MAX_REQUESTS }, now)];
        await lease.write({ [KEY]: { ...known, requests: most } });
        known = await readNext({ ...known, requests }, signal);
        await lease.write({ [KEY]: known });
      }
      noteStart();
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  async function readNext(before: StoredCalendar, signal: AbortSignal): Promise<StoredCalendar> {
    const requests = [...before.requests];
    try {
      const onRequest = () => void requests.push(now());
      const calendar = await readCalendar({ url, userAgent, now, signal, onRequest });
      report({ type: 'calendar-read', broadcasts: calendar.broadcasts.length });
      return { url, calendar, isDown: false, nextAt: now() + READ_EVERY_MS, requests };
    } catch (error) {
      if (signal.aborted) return { ...before, requests };
      if (!(error instanceof AppError)) throw error;
      report({ type: 'calendar-failed', error, isNews: !before.isDown });
      return { ...before, isDown: true, nextAt: now() + retryAfter(error), requests };
    }
  }

  /** The same object until another one was read; empty where none is young enough. */
  const current = () => (known.calendar.readAt > now() - WEEK_MS ? known.calendar : EMPTY);
  const foresee: Foresee = (believed, at) => foreseeByBroadcasts(current(), believed, at);

  const unwatch = store.watch(() => void load().catch(() => {}));
  await load().catch(() => {});
  let stopReading: (() => Promise<void>) | undefined;
  return {
    current,
    foresee,
    state(): CalendarState {
      const readAt = known.calendar.readAt || null;
      return { state: known.isDown ? 'down' : readAt ? 'ok' : 'absent', readAt };
    },
    /** Reads it every six hours, in one process of those that share the store. */
    start(): void {
      stopReading = startLeasedJob({
        store,
        name: 'broadcasts',
        doing: 'reading the calendar',
        work,
        report,
      });
    },
    /** Aborts a reading under way, and waits for its end. */
    async stop(): Promise<void> {
      unwatch();
      await stopReading?.();
    },
  };
}

/** How long to wait after a failure, ms. */
export function retryAfter({ retryAfterMs = 0 }: Pick<AppError, 'retryAfterMs'>): number {
  return Math.min(Math.max(RETRY_MS, retryAfterMs), READ_EVERY_MS);
}

/** Whether it is to be read now, so that no six hours have more than 20 requests. A clock that was ahead delays nothing. */
export function isDue(
  { nextAt, requests }: Pick<StoredCalendar, 'nextAt' | 'requests'>,
  now: number,
): boolean {
  const isWaiting = now < nextAt && nextAt <= now + READ_EVERY_MS;
  return !isWaiting && recent(requests, now).length + MAX_REQUESTS <= MAX_REQUESTS_IN_SIX_HOURS;
}

function recent(requests: readonly number[], now: number): number[] {
  return requests.filter((at) => at > now - READ_EVERY_MS && at <= now);
}
