import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type RefreshScheduler, startRefreshScheduler } from '../../src/crawler/refresh-scheduler.ts';
import type { RefreshTimer } from '../../src/crawler/refresh-timer.ts';
import type { SnapshotSync } from '../../src/crawler/snapshot-sync.ts';
import { initialStatus, type Status } from '../../src/crawler/source-state.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Snapshot } from '../../src/domain/listing.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';

const HOUR = 3_600_000;
let fire: (moment: number) => void = () => {};
const timer: RefreshTimer = {
  start(onMoment) {
    fire = onMoment;
  },
  stop() {},
  nextMoment: (earliest = 0) => Math.max(Date.now() + HOUR, earliest),
  intervalMs: HOUR,
};
const SUMMARY = { pages: 0, anime: 0, groups: 0, scheduled: 0, changes: [] };

let failure: Error | undefined;
let startedAt: number[];
let reports: OperationalEvent[];
let scheduler: RefreshScheduler;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  [startedAt, reports, failure] = [[], [], undefined];
  status = initialStatus(0);
});

afterEach(async () => {
  await scheduler.stop();
  vi.useRealTimers();
});

let emptied: () => void = () => {};
let status: Status;
const SNAPSHOT: Snapshot = {
  schedule: [],
  ongoing: [],
  scheduleChangedAt: 0,
  ongoingChangedAt: 0,
  lastEvent: 0,
};

/** Without a snapshot, it refreshes at once. */
function start(snapshot?: Snapshot): void {
  const view: SnapshotSync = {
    snapshot: () => snapshot,
    status: () => status,
    health: () => ({ state: 'ok', since: 0, reason: null, writable: null, damagedAt: null }),
    onEmptied: (listener) => {
      emptied = listener;
    },
    stop() {},
  };
  const refresh = async () => {
    startedAt.push(Date.now());
    if (failure) throw failure;
    return SUMMARY;
  };
  scheduler = startRefreshScheduler({
    refresh,
    timer,
    sync: view,
    report: (one) => void reports.push(one),
    now: Date.now,
  });
}

test('a refresh that the store failed is tried again, less and less often, and told of once', async () => {
  failure = new Error('the store is gone');
  start();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(startedAt).toEqual([0, 2_000, 6_000, 14_000]);
  failure = undefined;
  await vi.advanceTimersByTimeAsync(30 * 60_000);
  expect(startedAt).toEqual([0, 2_000, 6_000, 14_000, 30_000]);
  expect(reports).toEqual([{ type: 'store-failed', doing: 'refreshing', error: expect.any(Error) }]);
});

test('a refresh that the source failed waits for the timer', async () => {
  failure = new AppError('source-down', 'no answer');
  start();
  await vi.advanceTimersByTimeAsync(HOUR / 2);
  expect(startedAt).toEqual([0]);
  expect(reports).toEqual([]);
});

test('who is stopped does not try again', async () => {
  failure = new Error('the store is gone');
  start();
  await vi.advanceTimersByTimeAsync(1_000);
  await scheduler.stop();
  expect(vi.getTimerCount()).toBe(0);
});

/** What a good crawl leaves at a moment. */
const goodAt = (at: number): Status => ({
  ...initialStatus(0),
  ...{ state: 'ok', since: at, attemptedAt: at, refreshedAt: at, changedAt: 0, dueAt: at + HOUR },
});

test('a listing that is not due waits for the timer', () => {
  status = goodAt(0);
  start(SNAPSHOT);
  expect(startedAt).toEqual([]);
  fire(HOUR);
  expect(startedAt).toEqual([0]);
});

test('what another process refreshed at that moment is not refreshed again', () => {
  start(SNAPSHOT);
  startedAt = [];
  status = goodAt(20);
  fire(10);
  expect(startedAt).toEqual([]);
});

test('a crawl in the future, before the clock was set back, counts as none: at the start and at each moment', async () => {
  status = goodAt(26 * HOUR);
  start(SNAPSHOT);
  expect(startedAt).toEqual([0]);
  expect(scheduler.dueAt()).toBe(0);
  await vi.advanceTimersByTimeAsync(HOUR);
  fire(HOUR);
  expect(startedAt).toEqual([0, HOUR]);
});

test('a backoff from the future is not kept', async () => {
  status = { ...goodAt(26 * HOUR), state: 'down', retryAt: 30 * HOUR };
  start(SNAPSHOT);
  expect(scheduler.nextAttempt()).toBe(HOUR);
  status = { ...goodAt(0), state: 'down', retryAt: 6 * HOUR };
  expect(scheduler.nextAttempt()).toBe(6 * HOUR);
});

test('the clock of another machine that is seconds ahead is believed', () => {
  status = goodAt(5_000);
  start(SNAPSHOT);
  expect(startedAt).toEqual([]);
});

test('a store that was emptied is filled at once', () => {
  status = goodAt(0);
  start(SNAPSHOT);
  emptied();
  expect(startedAt).toEqual([0]);
});

test('a store that was emptied during a refresh is filled by another one, after it', async () => {
  start();
  emptied();
  expect(startedAt).toEqual([0]);
  await vi.advanceTimersByTimeAsync(1);
  expect(startedAt).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(HOUR);
  expect(startedAt).toHaveLength(2);
});

test('a refresh that the store failed says when it is tried again', async () => {
  failure = new Error('the disk is full');
  start();
  expect(scheduler.isRefreshing()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(scheduler.isRefreshing()).toBe(false);
  expect(scheduler.nextAttempt()).toBe(2_000);
});
