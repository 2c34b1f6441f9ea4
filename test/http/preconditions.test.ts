import { describe, expect, test } from 'vitest';
import {
  checkPreconditions,
  isSameRange,
  type Preconditions,
  parseHttpDate,
} from '../../src/http/preconditions.ts';

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
  [EARLIER, 'proceed'],
  ['Saturday, 15-Aug-26 21:30:05 GMT', 'not-modified'],
  ['Tue, 31 Feb 2099 00:00:00 GMT', 'proceed'],
  ['', 'proceed'],
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

const NEAR = Date.UTC(2026, 10, 21);
const parse = (text: string) => parseHttpDate(text, NEAR);

describe('an HTTP date', () => {
  test.each([
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    // A wrong weekday is ignored.
    'Mon, 06 Nov 1994 08:49:37 GMT',
  ])('is parsed in each form: %s', (text) => {
    expect(parse(text)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
  });

  test.each([
    ['Saturday, 21-Nov-76 00:00:00 GMT', 2076],
    ['Sunday, 21-Nov-77 00:00:00 GMT', 1977],
    ['Sunday, 21-Nov-00 00:00:00 GMT', 2000],
  ])('%s is less than 50 years ahead', (text, year) => {
    expect(new Date(parse(text)!).getUTCFullYear()).toBe(year);
  });

  test('may be in any month', () => {
    const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
    for (const [month, name] of names.entries())
      expect(parse(`Fri, 01 ${name} 2027 00:00:00 GMT`)).toBe(Date.UTC(2027, month, 1));
  });

  test('may be 29 February of a leap year, or a leap second', () => {
    expect(parse('Thu, 29 Feb 2024 00:00:00 GMT')).toBe(Date.UTC(2024, 1, 29));
    expect(parse('Sat, 31 Dec 2016 23:59:60 GMT')).toBe(Date.UTC(2017, 0, 1));
    expect(parse('Fri, 01 Jan 0050 00:00:00 GMT')).toBeLessThan(Date.UTC(1900));
  });

  test.each([
    'Tue, 31 Feb 2099 00:00:00 GMT',
    'Mon, 29 Feb 2027 00:00:00 GMT',
    'Fri, 32 Nov 2099 01:02:03 GMT',
    'Fri, 00 Nov 2099 01:02:03 GMT',
    'Fri, 20 Nov 2099 25:61:61 GMT',
    'Fri, 20 Nov 2099 24:00:00 GMT',
    'Fri, 20 Nov 2099 01:02:03 UTC',
    'Fri, 20 Nov 2099 01:02:03',
    'Fri, 20 nov 2099 01:02:03 GMT',
    'Fri, 20 Foo 2099 01:02:03 GMT',
    'Day, 20 Nov 2099 01:02:03 GMT',
    'Fri,20 Nov 2099 01:02:03 GMT',
    ' Fri, 20 Nov 2099 01:02:03 GMT',
    'Fri Nov 31 08:49:37 2099',
    '2099-11-20T01:02:03Z',
    '4070908800',
    '',
  ])('is not "%s"', (text) => {
    expect(parse(text)).toBeUndefined();
  });
});
