import { describe, expect, test } from 'vitest';
import { parseOngoing } from '../../../src/source/sites/otakudesu/ongoing-page.ts';
import { parseSchedule } from '../../../src/source/sites/otakudesu/schedule-page.ts';
import { listFixtures, readFixture } from '../../support/fixtures.ts';
import { refusal } from '../support/refusal.ts';

const PAGE_URL = 'https://otakudesu.example/ongoing-anime/';
const PARSERS = new Map<string, (html: string, pageUrl: string) => unknown>([
  ['ongoing', parseOngoing],
  ['schedule', parseSchedule],
]);
const FIXTURES = listFixtures('otakudesu');

test.each([...PARSERS.keys()])('there are fixtures of the %s page', (page) => {
  expect(FIXTURES.filter((fixture) => fixture.page === page)).not.toEqual([]);
});

describe.each(FIXTURES)('the $page page: $why', (fixture) => {
  test('parses to the records beside it', () => {
    const { html, expected } = readFixture('otakudesu', fixture);
    const parse = PARSERS.get(fixture.page);
    expect(parse, `${fixture.name} names a page that has a parser`).toBeDefined();
    expect(parse?.(html, PAGE_URL)).toStrictEqual(expected);
  });
});

describe('a page of another kind is refused', () => {
  const read = (name: string) => readFixture('otakudesu', { name, page: '', why: '' }).html;

  test('the schedule where the ongoing list should be', () => {
    expect(() => parseOngoing(read('schedule'), PAGE_URL)).toThrow(refusal('source-changed', /\.venz/u));
  });

  test('the ongoing list where the schedule should be', () => {
    expect(() => parseSchedule(read('ongoing'), PAGE_URL)).toThrow(refusal('source-changed', /\.kglist321/u));
  });

  test('two lists, as the front page has them', () => {
    const list = '<div class="venz"><ul><li></li></ul></div>';
    const page = `<html><body>${list}${list}</body></html>`;
    expect(() => parseOngoing(page, PAGE_URL)).toThrow(refusal('source-changed', /2 lists/u));
  });

  test('a pager that does not say where it is', () => {
    const page = read('ongoing--middle-page').replace('page-numbers current', 'page-numbers');
    expect(() => parseOngoing(page, PAGE_URL)).toThrow(refusal('source-changed', /no current page/u));
  });

  test.each([...PARSERS])(
    'a page of somebody else, to the parser of the %s page, by its title',
    (_page, parse) => {
      const page =
        '<html><head><title>Domain\n for sale</title></head><style>.venz .kglist321 {}</style></html>';
      expect(() => parse(page, PAGE_URL)).toThrow(refusal('source-moved', /"Domain for sale".*SOURCE_URLS/u));
    },
  );
});

test('a page built to be deep is refused before it is searched', () => {
  const deep = `<html><div class="venz">${'<ul><li>'.repeat(20_000)}x</div></html>`;
  expect(() => parseOngoing(deep, PAGE_URL)).toThrow(/nested/u);
});
