import { describe, expect, test } from 'vitest';
import { parseAnime } from '../../../src/source/sites/otakudesu/anime-page.ts';
import { listFixtures, readFixture } from '../../support/fixtures.ts';
import { parseOngoing, parseSchedule } from '../../support/parse-pages.ts';
import { refusal } from '../support/refusal.ts';

const PAGE_URL = 'https://otakudesu.example/ongoing-anime/';
const PARSERS = new Map<string, (html: string, pageUrl: string) => unknown>([
  ['ongoing', parseOngoing],
  ['schedule', parseSchedule],
  ['anime', parseAnime],
]);
const LISTS = [...PARSERS].slice(0, 2);
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

describe('a parser refuses', () => {
  const read = (name: string) => readFixture('otakudesu', { name, page: '', why: '' }).html;

  test('the schedule in place of the ongoing list', () => {
    expect(() => parseOngoing(read('schedule'), PAGE_URL)).toThrow(refusal('source-changed', /\.venz/u));
  });

  test('the ongoing list in place of the schedule', () => {
    expect(() => parseSchedule(read('ongoing'), PAGE_URL)).toThrow(
      refusal('source-changed', /no groups \(\.kgjdwl321\)/u),
    );
  });

  test('a page with two lists, like the front page', () => {
    const list = '<div class="venz"><ul><li></li></ul></div>';
    const page = `<html><body>${list}${list}</body></html>`;
    expect(() => parseOngoing(page, PAGE_URL)).toThrow(refusal('source-changed', /2 lists/u));
  });

  test('a pager without a current page', () => {
    const page = read('ongoing--middle-page').replace(/<span[^>]*page-numbers current">\d+<\/span>/u, '');
    expect(() => parseOngoing(page, PAGE_URL)).toThrow(refusal('source-changed', /no current page/u));
  });

  test('a page that is not of an anime', () => {
    const pages = ['ongoing', 'schedule'].map(read);
    for (const page of [...pages, '<html><head><title>Domain for sale</title></head><h1>Sale</h1></html>'])
      expect(() => parseAnime(page, PAGE_URL)).toThrow(
        refusal('source-moved', /not that of an anime.*titled "/u),
      );
  });

  test.each(LISTS)('a page of another site, and names its title (%s page)', (_page, parse) => {
    const page =
      '<html><head><title>Domain\n \u001b\u202efor sale</title></head><style>.venz .kglist321 {}</style></html>';
    expect(() => parse(page, PAGE_URL)).toThrow(refusal('source-moved', /"Domain for sale".*SOURCE_URLS/u));
  });
});

test('the pager is read by what it says, whatever its classes', () => {
  const { html, expected } = readFixture('otakudesu', { name: 'ongoing', page: '', why: '' });
  const renamed = html.replaceAll(/pagenavix|page-numbers|current/gu, 'x').replaceAll('aria-x', 'data-x');
  expect(parseOngoing(renamed, PAGE_URL)).toStrictEqual(expected);
});

test.each(['/complete-anime/page/9/', 'https://otakudesu.example/genres/aksi/page/99/', '/page/31/'])(
  'the pager ignores a link to a page of another list: %s',
  (href) => {
    const { html, expected } = readFixture('otakudesu', { name: 'ongoing', page: '', why: '' });
    const linked = html.replace('<div class="clear">', `<a href="${href}">Lihat</a><div class="clear">`);
    expect(linked).not.toBe(html);
    expect(parseOngoing(linked, PAGE_URL)).toStrictEqual(expected);
  },
);

describe('the title of a card', () => {
  const { html } = readFixture('otakudesu', { name: 'ongoing', page: '', why: '' });
  const titled = (title: string) =>
    parseOngoing(html.replace(/(<h2 class="jdlflm">)[^<]*/u, `$1${title}`), PAGE_URL).cards[0];

  test('is read without invisible and control characters', () => {
    expect(titled('\u001b[31m&#8238;Naga\u200b &#x2028;Kecil ∞&#0;')).toMatchObject({
      title: '[31mNaga Kecil ∞\ufffd',
    });
  });

  test.each(['&#8203;', '&nbsp;', '&#x301;', '&#x3164;', '&#x2800;', '\u202e\ufeff'])(
    'that is only %j is a fault of the card',
    (title) => {
      expect(titled(title)).toMatchObject({
        faults: [{ field: 'title', found: expect.not.stringMatching(/[\u200b\u202e\u3164]/u) }],
      });
    },
  );
});

test('a deeply nested page is refused before it is searched', () => {
  const deep = `<html><div class="venz">${'<ul><li>'.repeat(5_000)}x</div></html>`;
  expect(() => parseOngoing(deep, PAGE_URL)).toThrow(/nested/u);
});
