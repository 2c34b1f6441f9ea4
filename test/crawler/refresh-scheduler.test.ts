import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Refresh } from '../../src/crawler/refresh.ts';
import { type RefreshScheduler, startRefreshScheduler } from '../../src/crawler/refresh-scheduler.ts';
import type { RefreshTimer } from '../../src/crawler/timing/cron.ts';
import { createRefreshTimes } from '../../src/crawler/timing/refresh-times.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { initialStatus, type Status } from '../../src/store/source-status.ts';
import { makeStatus } from '../support/status.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** Fires at every full hour. */
const hourly: RefreshTimer = {
  fireTimeAfter: (moment) => (Math.floor(moment / HOUR) + 1) * HOUR,
  intervalMs: HOUR,
};
const SUMMARY = { pages: 0, anime: 0, groups: 0, scheduled: 0, changes: [] };

let failure: Error | undefined;
let startedAt: number[];
let peekedAt: number[];
let onRefresh: (isPeek: boolean) => void | Promise<void>;
let reports: OperationalEvent[];
let scheduler: RefreshScheduler;
let timer: RefreshTimer;
let peekMs: number | null;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  [startedAt, reports, failure, peekMs] = [[], [], undefined, null];
  peekedAt = [];
  timer = hourly;
  onRefresh = () => {};
  status = initialStatus(0);
});

afterEach(async () => {
  await scheduler.stop();
  vi.useRealTimers();
});

let status: Status;
const SNAPSHOT: Snapshot = {
  schedule: [],
  ongoing: [],
  scheduleChangedAt: 0,
  ongoingChangedAt: 0,
  epoch: 'e1',
  lastEvent: 0,
  ledger: {},
};

/** Starts the scheduler, which refreshes at once when there is no snapshot. */
function start(snapshot?: Snapshot): void {
  const listing = snapshot && { snapshot, events: [] };
  const times = createRefreshTimes(timer, peekMs, Date.now, () => 0);
  const refresh: Refresh = async ({ isPeek }) => {
    (isPeek ? peekedAt : startedAt).push(Date.now());
    await onRefresh(isPeek ?? false);
    if (failure) throw failure;
    return SUMMARY;
  };
  scheduler = startRefreshScheduler({
    refresh,
    timer,
    peekMs,
    times,
    store: { known: () => ({ listing, status, positions: undefined }) },
    report: (one) => void reports.push(one),
    now: Date.now,
  });
}

test('a refresh that failed because of the store is retried with a backoff, and reported once', async () => {
  failure = new Error('the store is gone');
  start();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(startedAt).toEqual([0, 2_000, 6_000, 14_000]);
  failure = undefined;
  await vi.advanceTimersByTimeAsync(30 * 60_000);
  expect(startedAt).toEqual([0, 2_000, 6_000, 14_000, 30_000]);
  expect(reports).toEqual([{ type: 'store-failed', doing: 'refreshing', error: expect.any(Error) }]);
});

test('a refresh that keeps failing after the source was asked is retried so that a day stays below 700 requests', async () => {
  failure = new Error('the lease was lost');
  start();
  await vi.advanceTimersByTimeAsync(6 * HOUR);
  const REQUESTS = 8;
  // The waits grow no more after two hours.
  const inFourHours = startedAt.filter((at) => at >= 2 * HOUR).length;
  const inDay = startedAt.length + (18 / 4) * inFourHours;
  expect(inDay * REQUESTS).toBeLessThan(700);
});

test('a refresh that failed because of the source waits for the timer', async () => {
  failure = new AppError('source-down', 'no answer');
  start();
  await vi.advanceTimersByTimeAsync(HOUR / 2);
  expect(startedAt).toEqual([0]);
  expect(reports).toEqual([]);
});

test('a first crawl that failed because of the source is repeated at the end of the backoff, with and without peeks', async () => {
  for (peekMs of [null, 3 * 60_000]) {
    vi.setSystemTime(0);
    failure = new AppError('source-down', 'no answer');
    const waits = [30_000, 60_000];
    [startedAt, status] = [[], initialStatus(0)];
    onRefresh = () => {
      const at = Date.now();
      const waitMs = waits.shift() ?? HOUR;
      const attempt = { failures: 1, attemptedAt: at, crawledAt: at, retryAt: at + waitMs };
      status = makeStatus({ state: 'down', ...attempt }, status);
    };
    start();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(scheduler.nextAttempt()).toBe(30_000);
    await vi.advanceTimersByTimeAsync(89_000);
    expect(startedAt).toEqual([0, 30_000, 90_000]);
    await scheduler.stop();
  }
});

test('a stopped scheduler waits for nothing, also not for a retry', async () => {
  for (const stopped of [undefined, new Error('the store is gone')]) {
    failure = stopped;
    start();
    await vi.advanceTimersByTimeAsync(1_000);
    // Other tests of this process may have timers.
    const before = vi.getTimerCount();
    await scheduler.stop();
    expect(vi.getTimerCount()).toBe(before - 1);
  }
});

/** The status after a good crawl at a moment. */
const goodAt = (at: number): Status =>
  makeStatus({
    state: 'ok',
    since: at,
    attemptedAt: at,
    crawledAt: at,
    refreshedAt: at,
    changedAt: 0,
    dueAt: at + HOUR,
  });

test('a scheduler whose listing is not due waits for each fire time', async () => {
  status = goodAt(0);
  start(SNAPSHOT);
  await vi.advanceTimersByTimeAsync(HOUR - 1);
  expect(startedAt).toEqual([]);
  await vi.advanceTimersByTimeAsync(2 * HOUR);
  expect(startedAt).toEqual([HOUR, 2 * HOUR]);
});

test('of all fire times that were missed when the clock was set forward, one is made up for', async () => {
  status = goodAt(0);
  start(SNAPSHOT);
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  vi.setSystemTime(30.5 * HOUR);
  await vi.advanceTimersByTimeAsync(HOUR);
  expect(startedAt).toEqual([30.5 * HOUR + MINUTE / 2, 31 * HOUR]);
});

test('a clock that is set back is followed', async () => {
  vi.setSystemTime(30.5 * HOUR);
  status = goodAt(30.5 * HOUR);
  start(SNAPSHOT);
  vi.setSystemTime(29.9 * HOUR);
  await vi.advanceTimersByTimeAsync(7 * MINUTE);
  expect(startedAt).toEqual([30 * HOUR]);
});

test('a fire time at which another process has refreshed is skipped', async () => {
  status = goodAt(0);
  start(SNAPSHOT);
  await vi.advanceTimersByTimeAsync(HOUR - MINUTE);
  status = goodAt(HOUR + 1);
  await vi.advanceTimersByTimeAsync(HOUR / 2);
  expect(startedAt).toEqual([]);
});

test('a crawl in the future, from before the clock was set back, is ignored at the start and whenever the timer fires', async () => {
  status = goodAt(26 * HOUR);
  start(SNAPSHOT);
  expect(startedAt).toEqual([0]);
  expect(scheduler.dueAt()).toBe(0);
  await vi.advanceTimersByTimeAsync(HOUR);
  expect(startedAt).toEqual([0, HOUR]);
});

test('a backoff from the future is ignored', async () => {
  status = makeStatus({ state: 'down', retryAt: 30 * HOUR }, goodAt(26 * HOUR));
  start(SNAPSHOT);
  expect(scheduler.nextAttempt()).toBe(HOUR);
  status = makeStatus({ state: 'down', retryAt: 6 * HOUR }, goodAt(0));
  expect(scheduler.nextAttempt()).toBe(6 * HOUR);
});

test('a crawl a few seconds in the future, by the clock of another machine, counts', () => {
  status = goodAt(5_000);
  start(SNAPSHOT);
  expect(startedAt).toEqual([]);
});

describe('peeks', () => {
  beforeEach(() => {
    peekMs = 3 * MINUTE;
    status = makeStatus({ peekDueAt: 3 * MINUTE }, goodAt(0));
    onRefresh = () => {
      const at = Date.now();
      status = makeStatus({ state: 'ok', attemptedAt: at, peekDueAt: at + 3 * MINUTE }, status);
    };
  });

  test('happen at the time that the last good attempt of any process has planned', async () => {
    start(SNAPSHOT);
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(peekedAt).toEqual([3, 6, 9].map((minutes) => minutes * MINUTE));
    status = makeStatus({ attemptedAt: 11 * MINUTE, peekDueAt: 14 * MINUTE }, status);
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    expect(peekedAt.slice(3)).toEqual([14 * MINUTE]);
    expect(startedAt).toEqual([]);
    expect(scheduler.nextAttempt()).toBe(17 * MINUTE);
    expect(scheduler.ongoingDueAt()).toBe(17 * MINUTE);
    expect(scheduler.dueAt()).toBe(HOUR);
  });

  test('that had no clear result are an interval apart', async () => {
    onRefresh = () => {
      status = makeStatus({ attemptedAt: Date.now() }, status);
    };
    start(SNAPSHOT);
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(peekedAt).toEqual([3, 6, 9].map((minutes) => minutes * MINUTE));
    expect(scheduler.ongoingDueAt()).toBe(3 * MINUTE);
  });

  test('wait for a backoff', async () => {
    status = makeStatus({ state: 'down', retryAt: 20 * MINUTE }, status);
    start(SNAPSHOT);
    expect(scheduler.nextAttempt()).toBe(20 * MINUTE);
    await vi.advanceTimersByTimeAsync(20 * MINUTE);
    expect(peekedAt).toEqual([20 * MINUTE]);
  });

  test.each([
    ['without a snapshot', 3 * MINUTE, undefined],
    ['when they are off', null, SNAPSHOT],
  ])('do not happen %s', async (_name, ms, snapshot) => {
    peekMs = ms;
    start(snapshot);
    await vi.advanceTimersByTimeAsync(HOUR / 2);
    expect(peekedAt).toEqual([]);
    expect(scheduler.nextAttempt()).toBe(HOUR);
  });

  test('do not happen when a crawl is due', async () => {
    status = makeStatus({ attemptedAt: HOUR - 2 * MINUTE, peekDueAt: HOUR }, goodAt(0));
    vi.setSystemTime(HOUR - 2 * MINUTE);
    start(SNAPSHOT);
    await vi.advanceTimersByTimeAsync(4 * MINUTE);
    expect(peekedAt).toEqual([]);
    expect(scheduler.ongoingDueAt()).toBe(HOUR);
  });

  test('that are under way are followed by a crawl that has become due', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    onRefresh = (isPeek) => (isPeek ? promise : undefined);
    start(SNAPSHOT);
    await vi.advanceTimersByTimeAsync(HOUR);
    expect([peekedAt, startedAt]).toEqual([[3 * MINUTE], []]);
    resolve();
    await vi.advanceTimersByTimeAsync(100);
    expect(startedAt).toEqual([HOUR + 100]);
  });

  test('wait for the retry after the store failed', async () => {
    onRefresh = () => Promise.reject(new Error('the store is gone'));
    start(SNAPSHOT);
    await vi.advanceTimersByTimeAsync(3 * MINUTE + 1_000);
    expect([peekedAt, startedAt]).toEqual([[3 * MINUTE], []]);
    expect(scheduler.nextAttempt()).toBe(3 * MINUTE + 2_000);
  });
});
