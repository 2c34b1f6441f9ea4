import { describe, expect, test } from 'vitest';
import { parseHttpDate } from '../../src/http/preconditions.ts';

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
