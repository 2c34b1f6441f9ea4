import { describe, expect, test } from 'vitest';
import { formatSize, parseDuration, parseSize, timeFormatter } from '../../src/domain/units.ts';
import UNITS from './units.json' with { type: 'json' };

describe('a duration', () => {
  test.each(UNITS.durations as [string, number][])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(UNITS.noDurations)('"%s" is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('a size', () => {
  test.each(UNITS.sizes as [string, number][])('%s is %i bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  test.each(UNITS.noSizes)('"%s" is none', (text) => {
    expect(parseSize(text)).toBeUndefined();
  });

  test.each(UNITS.formattedSizes as [number, string][])('of %i bytes is formatted as %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});

describe('a time', () => {
  const at = (zone: string, iso: string) => timeFormatter(zone)(Date.parse(iso));

  test.each(UNITS.times as [string, string, string][])('in %s at %s is %s', (zone, iso, text) => {
    expect(at(zone, iso)).toBe(text);
  });
});
