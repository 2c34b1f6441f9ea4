import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { Happening } from '../../src/domain/report.ts';
import type { StoreView } from '../../src/listing/follow-store.ts';
import { type FreshKeeper, keepFresh } from '../../src/listing/keep-fresh.ts';
import type { RefreshTimer } from '../../src/listing/refresh-timer.ts';
import { initialStatus } from '../../src/listing/source-state.ts';

const HOUR = 3_600_000;
const timer: RefreshTimer = { start() {}, stop() {}, nextMoment: () => HOUR, intervalMs: HOUR };
const SUMMARY = { pages: 0, anime: 0, groups: 0, scheduled: 0, changes: [] };

let failure: Error | undefined;
let startedAt: number[];
let reports: Happening[];
let keeper: FreshKeeper;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  [startedAt, reports] = [[], []];
});

afterEach(async () => {
  await keeper.stop();
  vi.useRealTimers();
});

/** Without a snapshot, so that it refreshes at once. */
function start(): void {
  const view: StoreView = {
    snapshot: () => undefined,
    status: () => initialStatus(0),
    health: () => ({ state: 'ok', since: 0, reason: null }),
    stop() {},
  };
  const refresh = async () => {
    startedAt.push(Date.now());
    if (failure) throw failure;
    return SUMMARY;
  };
  keeper = keepFresh({ refresh, timer, view, report: (one) => void reports.push(one), now: Date.now });
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
  await keeper.stop();
  expect(vi.getTimerCount()).toBe(0);
});
