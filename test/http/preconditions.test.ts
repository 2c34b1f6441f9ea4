import { describe, expect, test } from 'vitest';
import { checkPreconditions, isSameRange, type Preconditions } from '../../src/http/preconditions.ts';

const CURRENT = {
  changedAt: Date.UTC(2026, 7, 15, 21, 30, 5, 700),
  variants: [{ etag: '"a"' }, { etag: '"b,c"' }],
};
const DATE = 'Sat, 15 Aug 2026 21:30:05 GMT';
const EARLIER = 'Sat, 15 Aug 2026 21:30:04 GMT';
const LATER = 'Sat, 15 Aug 2026 21:30:06 GMT';
const check = (conditions: Preconditions) => checkPreconditions(conditions, CURRENT);

describe('If-Match', () => {
  test.each(['"a"', '"x", "a"', '"x","b,c"', ' "a" ', '*', ' * ', ', ,"a"'])('%s is true', (tags) => {
    expect(check({ 'if-match': tags })).toBe('proceed');
  });

  test.each(['"x"', 'W/"a"', '"x", W/"a"', '', 'a', '"A"', '"*"', '"a', 'x"a"'])('%s is false', (tags) => {
    expect(check({ 'if-match': tags })).toBe('failed');
  });
});

describe('If-None-Match', () => {
  test.each([...['"a"', '"x", "a"', '"b,c","x"', 'W/"a"', 'W/"x" , W/"a"', '"a,b", "a"', '*', ' * ']])(
    '%s names the current version',
    (tags) => {
      expect(check({ 'if-none-match': tags })).toBe('not-modified');
    },
  );

  test.each([...['"x"', 'W/"x"', '""', '', ',', 'a', '"a', "'a'", '"A"', '"ax"', '"*"']])(
    '%j does not name the current version',
    (tags) => {
      expect(check({ 'if-none-match': tags })).toBe('proceed');
    },
  );
});

test.each([
  [DATE, 'proceed'],
  [LATER, 'proceed'],
  [EARLIER, 'failed'],
  ['Sun, 31 Feb 2024 00:00:00 GMT', 'proceed'],
  ['yesterday', 'proceed'],
])('If-Unmodified-Since: %s results in %s', (date, verdict) => {
  expect(check({ 'if-unmodified-since': date })).toBe(verdict);
});

test.each([
  [DATE, 'not-modified'],
  [LATER, 'not-modified'],
  ['Saturday, 15-Aug-26 21:30:05 GMT', 'not-modified'],
  ['Saturday, 15-Aug-26 21:30:04 GMT', 'proceed'],
  [EARLIER, 'proceed'],
  ['Sat, 15 Aug 1970 21:30:05 GMT', 'proceed'],
  ['Fri, 32 Nov 2099 01:02:03 GMT', 'proceed'],
  ['', 'proceed'],
  ['Tue, 31 Feb 2099 00:00:00 GMT', 'proceed'],
  ['Fri, 20 Nov 2099 25:61:61 GMT', 'proceed'],
])('If-Modified-Since: %s results in %s', (date, verdict) => {
  expect(check({ 'if-modified-since': date })).toBe(verdict);
});

describe('If-Range', () => {
  test.each(['"a"', '"b,c"', ' "a" ', DATE])('%s names the current version', (ifRange) => {
    expect(isSameRange(ifRange, CURRENT)).toBe(true);
  });

  test.each([
    ...['"x"', 'W/"a"', 'a', '"a", "b,c"', '*', '', EARLIER, LATER],
    ...['Sat, 32 Aug 2026 21:30:05 GMT', '2026-08-15T21:30:05Z'],
  ])('%s does not name the current version', (ifRange) => {
    expect(isSameRange(ifRange, CURRENT)).toBe(false);
  });
});

describe('several conditions are evaluated in the order of RFC 9110:', () => {
  test.each<[string, Preconditions, string]>([
    ['If-Match fails first', { 'if-match': '"x"', 'if-none-match': '"a"' }, 'failed'],
    [
      'If-Match overrides If-Unmodified-Since',
      { 'if-match': '"a"', 'if-unmodified-since': EARLIER },
      'proceed',
    ],
    ['after If-Match comes If-None-Match', { 'if-match': '"a"', 'if-none-match': 'W/"a"' }, 'not-modified'],
    [
      'after If-Match comes If-Modified-Since',
      { 'if-match': '*', 'if-modified-since': DATE },
      'not-modified',
    ],
    [
      'If-None-Match overrides If-Modified-Since',
      { 'if-none-match': '"x"', 'if-modified-since': DATE },
      'proceed',
    ],
    ['If-Unmodified-Since goes first', { 'if-unmodified-since': EARLIER, 'if-none-match': '"a"' }, 'failed'],
  ])('%s', (_name, conditions, verdict) => {
    expect(check(conditions)).toBe(verdict);
  });
});
