import { expect, test } from 'vitest';
import { countSourceDays } from '../../src/crawler/source-health.ts';
import type { SourceDay, SourceState } from '../../src/store/source-status.ts';

const HOUR_MS = 3_600_000;
const at = (time: string) => Date.parse(`${time}+07:00`);

/** The days after attempts that found these states. */
function after(attempts: readonly [time: string, state: SourceState][], days: SourceDay[] = []): SourceDay[] {
  let known: SourceDay[] = days;
  let before: { state: SourceState | null; attemptedAt: number | null } = { state: null, attemptedAt: null };
  for (const [time, state] of attempts) {
    known = countSourceDays({ days: known, state: before.state }, before.attemptedAt, at(time));
    before = { state, attemptedAt: at(time) };
  }
  return known;
}

test('the time between two attempts counts for what the first one found, on each day of the source', () => {
  const days = after([
    ['2026-11-20T22:00', 'ok'],
    ['2026-11-20T23:00', 'down'],
    ['2026-11-21T02:00', 'ok'],
    ['2026-11-21T03:00', 'ok'],
  ]);
  expect(days).toEqual([
    { date: '2026-11-20', ms: { ok: HOUR_MS, down: HOUR_MS } },
    { date: '2026-11-21', ms: { down: 2 * HOUR_MS, ok: HOUR_MS } },
  ]);
});

test('nothing is said of the time in which nobody asked, nor after a clock that was ahead', () => {
  expect(
    after([
      ['2026-11-20T01:00', 'down'],
      ['2026-11-20T20:00', 'ok'],
    ]),
  ).toEqual([]);
  expect(
    after([
      ['2027-01-01T01:00', 'ok'],
      ['2026-11-20T20:00', 'ok'],
    ]),
  ).toEqual([]);
  const ahead = [{ date: '2027-01-01', ms: { ok: HOUR_MS } }];
  expect(after([['2026-11-20T20:00', 'ok']], ahead)).toEqual([]);
});

test('90 days are kept', () => {
  const start = at('2026-01-01T00:00');
  let days: SourceDay[] = [];
  for (let now = start; now < start + 120 * 24 * HOUR_MS; now += 6 * HOUR_MS)
    days = countSourceDays({ days, state: 'ok' }, now - 6 * HOUR_MS, now);
  expect(days).toHaveLength(90);
  expect(days[0]?.date).toBe('2026-01-31');
});
