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

describe('the next fire time', () => {
  let now = 0;
  const openTimer = (expression: string, jitterShare: number, timeZone = 'UTC') =>
    createRefreshTimer(expression, timeZone, jitterShare, now);

  test.each(CASES.fireTimes as [string, number, string][])(
    'of every quarter of an hour, at %s with a jitter of %f minutes, is %s',
    (moment, jitterShare, next) => {
      now = at(moment);
      expect(openTimer('*/15 * * * *', jitterShare).fireTimeAfter(now)).toBe(at(next));
    },
  );

  test.each(CASES.jitters as [string, number][])(
    'of %s is at most %f s after the time of the cron expression',
    (expression, mostSeconds) => {
      now = at('12:59:59.999');
      const inTime = openTimer(expression, 0).fireTimeAfter(now);
      expect(inTime).toBe(at('13:00:00'));
      expect(openTimer(expression, 1).fireTimeAfter(now) - inTime).toBe(mostSeconds * 1_000);
      expect(openTimer(expression, 0.5).fireTimeAfter(now) - inTime).toBe(mostSeconds * 500);
    },
  );
});
