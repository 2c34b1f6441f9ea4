import { describe, expect, test } from 'vitest';
import { formatSize, parseDuration, parseSize, timeFormatter } from '../../src/domain/units.ts';

describe('a duration', () => {
  test.each([
    ['0', 0],
    ['500ms', 500],
    ['15s', 15_000],
    ['10m', 600_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['1.5h', 5_400_000],
    ['0.5s', 500],
    ['1 h', 3_600_000],
    ['0s', 0],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    '',
    ' ',
    '1',
    '-1s',
    '+1s',
    '1e3s',
    '.5s',
    '1.s',
    '1S',
    '1H',
    '1 week',
    '1h30m',
    's',
    '1s ',
    '٣s',
    '1,5h',
  ])('"%s" is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('a size', () => {
  test.each([
    ['0', 0],
    ['512B', 512],
    ['64 KB', 65_536],
    ['100 MB', 104_857_600],
    ['1.5 MB', 1_572_864],
    ['10 GB', 10_737_418_240],
  ])('%s is %i bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  test.each(['', '1', '1 mb', '1 Mb', '1 TB', '1 MiB', '-1 MB', '1s', 'MB'])('"%s" is none', (text) => {
    expect(parseSize(text)).toBeUndefined();
  });

  test.each([
    [0, '0 B'],
    [1, '1 B'],
    [1_023, '1023 B'],
    [1_024, '1.00 KB'],
    [1_536, '1.50 KB'],
    [1_268_777, '1.21 MB'],
    [104_857_600, '100.00 MB'],
    [1_073_741_824, '1.00 GB'],
    [5 * 1024 ** 4, '5120.00 GB'],
  ])('of %i bytes is formatted as %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});

describe('a time', () => {
  const at = (zone: string, iso: string) => timeFormatter(zone)(Date.parse(iso));

  test.each([
    ['Asia/Jakarta', '2026-08-15T21:30:05Z', '04:30:05 16/08/2026'],
    ['Asia/Jakarta', '2026-08-15T17:00:00Z', '00:00:00 16/08/2026'],
    ['UTC', '2026-01-02T03:04:05.999Z', '03:04:05 02/01/2026'],
    ['UTC', '2026-12-31T23:59:59Z', '23:59:59 31/12/2026'],
    ['Europe/Berlin', '2026-07-01T10:00:00Z', '12:00:00 01/07/2026'],
    ['Europe/Berlin', '2026-12-01T10:00:00Z', '11:00:00 01/12/2026'],
    ['America/St_Johns', '2026-12-01T02:00:00Z', '22:30:00 30/11/2026'],
  ])('in %s at %s is %s', (zone, iso, text) => {
    expect(at(zone, iso)).toBe(text);
  });
});
