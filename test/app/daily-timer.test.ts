import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDailyTimer } from '../../src/app/render-timers.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';

const HOUR = 3_600_000;
let begun: string[];
let reports: OperationalEvent[];
let failure: Error | undefined;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  [begun, reports, failure] = [[], [], undefined];
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

function start(timeZone: string, at: string): void {
  vi.setSystemTime(Date.parse(at));
  const format = new Intl.DateTimeFormat('en-CA', { timeZone });
  const onDay = () => {
    begun.push(format.format(Date.now()));
    if (failure) throw failure;
  };
  stop = startDailyTimer({
    timeZone,
    now: Date.now,
    onDay,
    report: (event) => void reports.push(event),
  });
}

test.each([
  ['Europe/Berlin', '2026-03-28T12:00:00Z', ['2026-03-29', '2026-03-30']],
  ['America/New_York', '2026-10-31T16:00:00Z', ['2026-11-01', '2026-11-02']],
  ['Africa/Cairo', '2026-04-23T12:00:00Z', ['2026-04-24', '2026-04-25']],
  ['Asia/Beirut', '2026-03-28T12:00:00Z', ['2026-03-29', '2026-03-30']],
  ['Asia/Beirut', '2026-10-24T12:00:00Z', ['2026-10-25', '2026-10-26']],
  ['Australia/Lord_Howe', '2026-10-03T03:00:00Z', ['2026-10-04', '2026-10-05']],
])('in %s onDay is called once for each day after %s, across a clock change', async (timeZone, at, days) => {
  start(timeZone, at);
  await vi.advanceTimersByTimeAsync(2 * 24 * HOUR);
  expect(begun).toEqual(days);
});

test('onDay is called once for the new date when the clock is set forward or back', async () => {
  start('UTC', '2026-11-20T12:00:00Z');
  vi.setSystemTime(Date.parse('2026-11-25T12:00:00Z'));
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  vi.setSystemTime(Date.parse('2026-11-20T12:00:00Z'));
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  expect(begun).toEqual(['2026-11-25', '2026-11-20']);
});

test('onDay is retried every minute while it fails, and reported once', async () => {
  failure = new Error('no memory');
  start('UTC', '2026-11-20T23:59:30Z');
  await vi.advanceTimersByTimeAsync(2 * 60_000 + 31_000);
  expect(begun).toEqual(['2026-11-21', '2026-11-21', '2026-11-21']);
  expect(reports).toEqual([{ type: 'day-failed', error: failure }]);
  failure = undefined;
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(begun).toHaveLength(4);
});
