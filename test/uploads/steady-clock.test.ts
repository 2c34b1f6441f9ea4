import { beforeEach, expect, test } from 'vitest';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { createSteadyClock } from '../../src/uploads/sweep.ts';

const START = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;
let elapsed: number;
let setBy: number;
let reports: OperationalEvent[];
let read: () => number;

beforeEach(() => {
  [elapsed, setBy, reports] = [0, 0, []];
  read = createSteadyClock({
    now: () => START + elapsed + setBy,
    elapsedMs: () => elapsed,
    report: (event) => void reports.push(event),
  });
});

/** Advances the time; returns the reading of the clock as ms since the start. */
function after(ms: number): number {
  elapsed += ms;
  return read() - START;
}

test('the clock follows small adjustments at once', () => {
  expect([after(0), after(25_000), after(25_000)]).toEqual([0, 25_000, 50_000]);
  setBy = 4_000;
  expect(after(25_000)).toBe(79_000);
  expect(reports).toEqual([]);
});

test('a jump back is reported and followed at once, because it deletes nothing', () => {
  setBy = -26 * HOUR;
  expect([after(25_000), after(25_000)]).toEqual([25_000 - 26 * HOUR, 50_000 - 26 * HOUR]);
  expect(reports).toEqual([{ type: 'clock-jumped', byMs: -26 * HOUR }]);
  setBy = 0;
  expect(after(100_000)).toBe(150_000);
});

test('a jump forward is reported at once and followed after a minute', () => {
  const byMs = 26 * HOUR;
  setBy = byMs;
  expect([after(25_000), after(25_000), after(25_000)]).toEqual([25_000, 50_000, 75_000]);
  expect(reports).toEqual([{ type: 'clock-jumped', byMs }]);
  expect(after(25_000)).toBe(100_000 + byMs);
  expect(after(25_000)).toBe(125_000 + byMs);
  expect(reports).toHaveLength(1);
});

test('a jump forward that is reverted within a minute is ignored', () => {
  setBy = 26 * HOUR;
  expect(after(25_000)).toBe(25_000);
  setBy = 0;
  expect(after(25_000)).toBe(50_000);
  expect(after(10 * HOUR)).toBe(50_000 + 10 * HOUR);
});
