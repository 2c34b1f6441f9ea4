import { describe, expect, test } from 'vitest';
import { createCron, describeCronError } from '../../src/crawler/timing/cron.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function runsOf(expression: string, timeZone: string, from: string, until: string): string[] {
  const nextRun = createCron(expression, timeZone);
  const runs: string[] = [];
  for (let run = nextRun(Date.parse(from)); run <= Date.parse(until); run = nextRun(run)) {
    runs.push(new Date(run).toISOString().slice(0, 16));
  }
  return runs;
}

describe('a cron expression', () => {
  test.each(['*/15 * * * *', '* * * * * *', '0 9 * * MON', '0 0 29 2 *', '0,30 8-20 * * *'])(
    'can be %s',
    (expression) => {
      expect(describeCronError(expression)).toBeUndefined();
    },
  );

  test.each([
    '',
    'hourly',
    '* * * *',
    '* * * * * * *',
    '61 * * * *',
    '0 24 * * *',
    '0 0 31 2 *',
    '*/0 * * * *',
  ])('cannot be "%s", and the error says why', (expression) => {
    expect(describeCronError(expression)).toMatch(/\S/u);
  });
});

describe('the next run', () => {
  test.each([
    ['*/15 * * * *', 'UTC', '2026-11-20T12:07:30Z', '2026-11-20T12:15:00Z'],
    ['*/15 * * * *', 'Asia/Kathmandu', '2026-11-20T12:00:00Z', '2026-11-20T12:15:00Z'],
    ['0 9 * * *', 'Asia/Jakarta', '2026-11-20T02:00:00Z', '2026-11-21T02:00:00Z'],
    ['0 9 * * MON', 'Asia/Jakarta', '2026-11-20T02:00:00Z', '2026-11-23T02:00:00Z'],
    ['0 0 29 2 *', 'America/New_York', '2026-11-20T02:00:00Z', '2028-02-29T05:00:00Z'],
    ['30 59 23 31 12 *', 'UTC', '2026-11-20T02:00:00Z', '2026-12-31T23:59:30Z'],
    ['0 0 * * *', 'Pacific/Apia', '2026-11-20T12:00:00Z', '2026-11-21T11:00:00Z'],
  ])('of %s in %s after %s is at %s', (expression, timeZone, after, expected) => {
    expect(createCron(expression, timeZone)(Date.parse(after))).toBe(Date.parse(expected));
  });

  test('of 29 February is found even when a century year has none', () => {
    const run = createCron('0 0 29 2 *', 'Europe/Berlin')(Date.parse('2096-03-01T00:00:00Z'));
    expect(new Date(run).toISOString()).toBe('2104-02-28T23:00:00.000Z');
  });
});

/** The clock changes of some zones in 2026: a zone, a time before the change and one after it. */
const CHANGES = [
  ['Europe/Berlin', '2026-03-28T12:00Z', '2026-03-30T12:00Z'],
  ['Europe/Berlin', '2026-10-24T12:00Z', '2026-10-26T12:00Z'],
  ['America/New_York', '2026-03-07T12:00Z', '2026-03-09T12:00Z'],
  ['America/New_York', '2026-10-31T12:00Z', '2026-11-02T12:00Z'],
  ['Africa/Cairo', '2026-04-23T12:00Z', '2026-04-25T12:00Z'],
  ['Africa/Cairo', '2026-10-29T12:00Z', '2026-10-31T12:00Z'],
  ['Asia/Beirut', '2026-03-28T12:00Z', '2026-03-30T12:00Z'],
  ['Asia/Beirut', '2026-10-24T12:00Z', '2026-10-26T12:00Z'],
  ['Australia/Lord_Howe', '2026-04-03T12:00Z', '2026-04-05T12:00Z'],
  ['Australia/Lord_Howe', '2026-10-02T12:00Z', '2026-10-04T12:00Z'],
] as const;

describe.each(CHANGES)('where the clocks of %s change after %s', (timeZone, from, until) => {
  const hours = (Date.parse(until) - Date.parse(from)) / HOUR;

  test('runs every quarter of an hour stay 15 minutes apart', () => {
    const runs = runsOf('*/15 * * * *', timeZone, from, until);
    expect(runs).toHaveLength(hours * 4);
    const gaps = runs.slice(1).map((run, index) => Date.parse(`${run}Z`) - Date.parse(`${runs[index]}Z`));
    expect(new Set(gaps)).toEqual(new Set([15 * MINUTE]));
  });

  test.each(['0 0 * * *', '30 0 * * *', '30 1 * * *', '15 2 * * *', '30 2 * * *', '59 23 * * *'])(
    'every day has a run of %s',
    (expression) => {
      const format = new Intl.DateTimeFormat('en-CA', { timeZone });
      const days = new Set(
        runsOf(expression, timeZone, from, until).map((run) => format.format(new Date(`${run}Z`))),
      );
      expect(days.size).toBeGreaterThanOrEqual(2);
    },
  );
});

test('a run in a skipped hour happens an hour later, and a run in a repeated hour happens twice', () => {
  expect(runsOf('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', '2026-03-30T12:00Z')).toEqual([
    '2026-03-29T01:30',
    '2026-03-30T00:30',
  ]);
  expect(runsOf('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', '2026-10-25T12:00Z')).toEqual([
    '2026-10-25T00:30',
    '2026-10-25T01:30',
  ]);
});
