import { expect, test } from 'vitest';
import { localDay } from '../../src/domain/local-day.ts';

test.each([
  ['Asia/Jakarta', '2026-11-20T16:59:59Z', { date: '2026-11-20', day: 'Jumat', shortDate: '20 Nov' }],
  ['Asia/Jakarta', '2026-11-20T17:00:00Z', { date: '2026-11-21', day: 'Sabtu', shortDate: '21 Nov' }],
  ['UTC', '2027-05-02T12:00:00Z', { date: '2027-05-02', day: 'Minggu', shortDate: '2 Mei' }],
  // Days that begin at 01:00, and of 25 hours.
  ['Africa/Cairo', '2026-04-23T21:59:59Z', { date: '2026-04-23', day: 'Kamis', shortDate: '23 Apr' }],
  ['Africa/Cairo', '2026-04-23T22:00:00Z', { date: '2026-04-24', day: 'Jumat', shortDate: '24 Apr' }],
  ['Europe/Berlin', '2026-10-25T22:59:59Z', { date: '2026-10-25', day: 'Minggu', shortDate: '25 Okt' }],
  ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', { date: '2027-01-01', day: 'Jumat', shortDate: '1 Jan' }],
])('localDay returns the date and the day in %s at %s', (timeZone, moment, expected) => {
  expect(localDay(timeZone, Date.parse(moment))).toEqual(expected);
});
