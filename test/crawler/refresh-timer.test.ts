import { describe, expect, test } from 'vitest';
import { createCron, createRefreshTimer } from '../../src/crawler/timing/cron.ts';
import CASES from './refresh-timer.json' with { type: 'json' };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);

describe('a cron expression', () => {
  test.each(CASES.runs)(
    '%s in %s after %s runs at %s',
    (expression = '', zone = '', after = '', run = '') => {
      expect(createCron(expression, zone)(Date.parse(after))).toBe(Date.parse(run));
    },
  );
});

describe.each(CASES.clockChanges)(
  'where the clocks of %s change after %s',
  (zone = '', from = '', until = '') => {
    function runsOf(expression: string): number[] {
      const nextRun = createCron(expression, zone);
      const runs: number[] = [];
      for (let run = nextRun(Date.parse(from)); run <= Date.parse(until); run = nextRun(run)) runs.push(run);
      return runs;
    }

    test('runs every quarter of an hour stay 15 minutes apart', () => {
      const runs = runsOf('*/15 * * * *');
      expect(runs).toHaveLength(((Date.parse(until) - Date.parse(from)) / HOUR) * 4);
      const gaps = runs.slice(1).map((run, index) => run - runs[index]!);
      expect(new Set(gaps)).toEqual(new Set([15 * MINUTE]));
    });

    test.each(['0 0 * * *', '30 0 * * *', '30 1 * * *', '15 2 * * *', '30 2 * * *', '59 23 * * *'])(
      'every day has a run of %s',
      (expression) => {
        const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
        const days = new Set(runsOf(expression).map((run) => format.format(run)));
        expect(days.size).toBeGreaterThanOrEqual(2);
      },
    );
  },
);

test.each(CASES.jitters as [string, number][])(
  'the next fire time of %s is at most %f s after that of the cron expression',
  (expression, mostSeconds) => {
    const now = at('12:59:59.999');
    const fireTime = (jitter: number) =>
      createRefreshTimer(expression, 'UTC', jitter, now).fireTimeAfter(now);
    expect(fireTime(0)).toBe(at('13:00:00'));
    expect(fireTime(1) - fireTime(0)).toBe(mostSeconds * 1_000);
    expect(fireTime(0.5) - fireTime(0)).toBe(mostSeconds * 500);
  },
);
