import { expect, test } from 'vitest';
import { localDay } from '../../src/domain/local-day.ts';

test.each([
  ['Asia/Jakarta', '2026-11-20T16:59:59Z', '2026-11-20'],
  ['Asia/Jakarta', '2026-11-20T17:00:00Z', '2026-11-21'],
  ['UTC', '2027-05-02T12:00:00Z', '2027-05-02'],
  // Days that begin at 01:00, and of 25 hours.
  ['Africa/Cairo', '2026-04-23T21:59:59Z', '2026-04-23'],
  ['Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24'],
  ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-25'],
  ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', '2027-01-01'],
])('localDay is the date in %s at %s', (timeZone, moment, expected) => {
  expect(localDay(timeZone, Date.parse(moment))).toBe(expected);
});
