import { expect, test } from 'vitest';
import { localDay, nextLocalDay } from '../../src/domain/local-day.ts';

test.each([
  ['Asia/Jakarta', '2026-11-20T16:59:59Z', { date: '2026-11-20', day: 'Jumat', shortDate: '20 Nov' }],
  ['Asia/Jakarta', '2026-11-20T17:00:00Z', { date: '2026-11-21', day: 'Sabtu', shortDate: '21 Nov' }],
  ['UTC', '2027-05-02T12:00:00Z', { date: '2027-05-02', day: 'Minggu', shortDate: '2 Mei' }],
  ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', { date: '2027-01-01', day: 'Jumat', shortDate: '1 Jan' }],
])('localDay returns the date and the day in %s at %s', (timeZone, moment, expected) => {
  expect(localDay(timeZone, Date.parse(moment))).toEqual(expected);
});

test.each([
  ['Asia/Jakarta', '2026-11-20T16:59:59.999Z', '2026-11-20T17:00:00.000Z'],
  ['Asia/Jakarta', '2026-11-20T17:00:00.000Z', '2026-11-21T17:00:00.000Z'],
  // Days of 23 and 25 hours, and one that begins at 01:00.
  ['Europe/Berlin', '2026-03-29T00:00:00Z', '2026-03-29T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00.000Z'],
  ['Africa/Cairo', '2026-04-23T12:00:00Z', '2026-04-23T22:00:00.000Z'],
])('in %s the day after %s begins at %s', (timeZone, moment, expected) => {
  expect(new Date(nextLocalDay(timeZone, Date.parse(moment))).toISOString()).toBe(expected);
});

test.each(['Europe/Berlin', 'America/New_York', 'Africa/Cairo', 'Asia/Beirut', 'Australia/Lord_Howe'])(
  'in %s each day of a year ends at the first moment of the next one',
  (timeZone) => {
    let at = Date.parse('2026-01-10T12:00:00Z');
    for (let day = 0; day < 366; day += 1) {
      const next = nextLocalDay(timeZone, at);
      const date = localDay(timeZone, at).date;
      expect(localDay(timeZone, next - 1).date).toBe(date);
      expect(localDay(timeZone, next).date).toBe(
        new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10),
      );
      at = next;
    }
  },
);
