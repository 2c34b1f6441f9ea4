import { beforeEach, expect, test } from 'vitest';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { createSteadyClock, requireUnexpired } from '../../src/uploads/steady-clock.ts';

const START = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;
let elapsed: number;
let setBy: number;
let reports: OperationalEvent[];
let read: () => number;

beforeEach(() => {
  [elapsed, setBy, reports] = [0, 0, []];
  const now = () => START + elapsed + setBy;
  read = createSteadyClock(
    now,
    () => elapsed,
    (event) => void reports.push(event),
  );
});

/** Advances the time; returns the reading of the clock as ms since the start. */
function after(ms: number): number {
  elapsed += ms;
  return read() - START;
}

test.each([
  ['a small adjustment', 4_000, []],
  ['a jump', 26 * HOUR, [{ type: 'clock-jumped', byMs: 26 * HOUR }]],
])('%s forward is followed within two minutes, and not in the first one', (_what, byMs, reported) => {
  expect([after(0), after(50_000)]).toEqual([0, 50_000]);
  setBy = byMs;
  expect([after(25_000), after(30_000)]).toEqual([75_000, 105_000]);
  after(60_000);
  expect(after(5_000)).toBe(170_000 + byMs);
  expect(reports).toEqual(reported);
});

test('a clock that was not set is followed at once when it is set, and accepts nothing before', () => {
  const clocks = { now: () => START + elapsed + setBy, steadyNow: read };
  setBy = -START;
  after(50_000);
  expect(() => requireUnexpired(read() + HOUR, clocks)).toThrow(
    expect.objectContaining({ code: 'clock-unset', retryAfterMs: expect.any(Number) }),
  );
  setBy = 0;
  expect(after(1_000)).toBe(51_000);
  expect(() => requireUnexpired(read() + HOUR, clocks)).not.toThrow();
  expect(after(25_000)).toBe(76_000);
});

test('a jump back is followed at once, because it deletes nothing', () => {
  setBy = -26 * HOUR;
  expect([after(25_000), after(25_000)]).toEqual([25_000 - 26 * HOUR, 50_000 - 26 * HOUR]);
  setBy = 0;
  after(60_000);
  after(60_000);
  expect(after(0)).toBe(170_000);
});

test('a jump forward that is reverted within a minute is ignored', () => {
  after(0);
  setBy = 26 * HOUR;
  expect(after(25_000)).toBe(25_000);
  setBy = 0;
  expect(after(25_000)).toBe(50_000);
  expect(after(10 * HOUR)).toBe(50_000 + 10 * HOUR);
});
