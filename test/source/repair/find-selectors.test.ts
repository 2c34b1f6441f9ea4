import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import { findSelectors } from '../../../src/source/repair/find-selectors.ts';
import type { PageModel } from '../../../src/source/repair/page-model.ts';
import {
  type Anime,
  card,
  DAY,
  list,
  listAnime,
  MODEL,
  makeAnime,
  SELECTORS,
  searchIn,
} from '../support/shelf.ts';

const ANIME = listAnime(10);

/** The page with all of its classes renamed. */
const renamed = (html: string) => html.replace(/class="?(\w+)"?/gu, 'class="x-$1"');
const RENAMED = {
  list: '.x-list',
  card: '.card',
  link: 'a',
  title: '.x-title',
  episode: '.x-episode',
};

function find<Parsed>(html: string, more: Partial<PageModel<Parsed>> = {}, mayRepair = true) {
  const model = { ...MODEL, ...more } as PageModel<Parsed>;
  return findSelectors(searchIn(html, ANIME), model, mayRepair);
}

const selectorsOf = (html: string) => {
  const found = find(html);
  return typeof found === 'string' ? found : found.selectors;
};

const DAYS = ['Senin', 'Selasa'];
const entriesOf = (day: string) =>
  ANIME.filter((one) => one.day === day)
    .map((one) => card(one))
    .join('');

/** Searches a page with groups and a pager. */
function findGrouped(groups: string, mark = '<b class=c>1</b>') {
  const { read } = MODEL;
  return find(`<main class=f>${groups}</main><nav>${mark}<a class=n href="/page/2">2</a></nav>`, {
    heading: { key: 'day', format: DAY },
    parsePageNumber: (href) => Number(/^\/page\/(\d)$/u.exec(href ?? '')?.[1]) || undefined,
    selectors: { ...SELECTORS, group: '.group', heading: '.heading', pager: '.page', current: '.current' },
    read: (page, url, chosen) => {
      const { records, unreadable } = read(page, url, chosen);
      const days = new Map(ANIME.map(({ slug, day }) => [slug, day]));
      return { unreadable, records: records.map((one) => ({ ...one, day: days.get(one.slug) })) };
    },
  });
}

describe('new selectors', () => {
  test('are found for all fields of a page with known anime', () => {
    expect(find(renamed(list(ANIME)))).toEqual({
      selectors: { ...RENAMED, card: '.x-card' },
      parsed: { records: ANIME.map(({ slug, title, episode }) => ({ slug, title, episode })), unreadable: 0 },
      agreement: {
        readable: 10,
        unreadable: 0,
        known: 10,
        agreeing: { title: 10, episode: 10 },
        unique: [10],
      },
    });
  });

  test('replace only those that do not match', () => {
    const html = list(ANIME).replaceAll('"title"', '"judul"');
    expect(selectorsOf(html)).toEqual({ ...SELECTORS, title: '.judul' });
  });

  test.each([
    ['below an element', '<ul class=g><h2>', '</h2>', '</ul>', { group: '.g', heading: 'h2' }],
    ['that follow each other', '<h2 class=h>', '</h2>', '', { group: '', heading: '.h' }],
    ['in elements of their own', '<p class=w><b>', '</b></p>', '', { group: '', heading: '.w' }],
  ])('include those of the pager, and of headings %s', (_what, before, after, end, expected) => {
    expect(
      findGrouped(DAYS.map((day) => before + day + after + entriesOf(day) + end).join('')),
    ).toMatchObject({
      selectors: { list: '.f', card: '.card', pager: '.n', current: '.c', ...expected },
      agreement: { agreeing: { heading: 10 } },
    });
  });

  test('prefer a text to an attribute, a class to a tag, and a name to a position', () => {
    const place = (make: (title: string) => string) => {
      const html = list(
        ANIME,
        ({ slug, title, episode }) =>
          `<li class="card">${make(title)}<a href="/anime/${slug}">x</a><i class="episode">${episode}</i></li>`,
      );
      return selectorsOf(html);
    };
    expect(place((title) => `<s class=a title="${title}">x</s><b>${title}</b>`)).toMatchObject({
      title: 'b',
    });
    expect(place((title) => `<s>${title}</s><b class=b>${title}</b>`)).toMatchObject({ title: '.b' });
    expect(place((title) => `<s class=a>x</s><s>${title}</s>`)).toMatchObject({
      title: '& > s:nth-child(2)',
    });
    expect(place((title) => `<s>x</s><img title="${title}">`)).toMatchObject({ title: 'img@title' });
  });

  test('are not searched on a page with too few known anime, or where nothing may be repaired', () => {
    expect(find(list(listAnime(20).slice(10)))).toBe('unknown');
    expect(find(list(ANIME.slice(0, 2)))).toBe('none');
    expect(() => find(list(ANIME), {}, false)).toThrow('only a whole crawl repairs selectors');
    expect(find(list(ANIME.slice(0, 2)), {}, false)).toBe('none');
  });
});

describe('a page is refused', () => {
  test('when a field is found nowhere, with the first reason', () => {
    const without = (name: string) =>
      renamed(list(ANIME)).replace(new RegExp(`<(\\w) class="x-${name}">[^<]*</\\1>`, 'gu'), '');
    expect(() => find(without('title'))).toThrow(
      'title: nothing in the cards agrees with the last good list',
    );
    expect(() => find(without('episode'))).toThrow(
      'episode: nothing in the cards agrees with the last good list',
    );
  });

  test('when the known anime are in no list of cards', () => {
    const html = ANIME.map(({ slug }) => `<a href="/anime/${slug}">x</a>`).join('');
    expect(() => find(html)).toThrow('the known anime are in no list of cards');
  });

  test('when the records do not agree with the last good list', () => {
    const read = () => ({ records: [], unreadable: 10 });
    expect(() => find(renamed(list(ANIME)), { read })).toThrow(
      'the records of the new selectors do not agree with the last good list',
    );
  });

  test('when the parser refuses it', () => {
    const read = () => {
      throw new AppError('source-changed', 'two lists');
    };
    expect(() => find(renamed(list(ANIME)), { read })).toThrow('two lists');
  });

  test('but any other error is thrown', () => {
    const read = () => {
      throw new TypeError('a defect');
    };
    expect(() => find(renamed(list(ANIME)), { read })).toThrow(TypeError);
  });

  test('when all known cards have the same value, and others of its format', () => {
    const same = ANIME.map((one) => ({ ...one, episode: 'Ep 1' }));
    const search = (extra: string) =>
      findSelectors(searchIn(renamed(list(same)).replace('</li>', `${extra}</li>`), same), MODEL, true);
    expect(search('<u>x</u>')).toMatchObject({ selectors: { episode: '.x-episode' } });
    for (const extra of ['<u>Ep 2</u>', '<u data-x="Ep 2">x</u>'])
      expect(() => search(extra)).toThrow('all known cards have the same value');
  });

  test('when its known anime are not under their headings', () => {
    const html = DAYS.map((day) => `${entriesOf(day)}<h2 class=h>${day}</h2>`).join('');
    expect(() => findGrouped(html)).toThrow(/[0-5] of 10 known cards are still under their heading/u);
  });

  test.each([
    ['has another number', '<b class=c>2</b>'],
    ['is not the only one', '<b class=c>1</b><b class=c>1</b>'],
    ['is a link', '<a class=x href="/page/1"><b>1</b></a>'],
  ])('when the mark of the current page %s', (_what, mark) => {
    const html = DAYS.map((day) => `<ul class=g><h2>${day}</h2>${entriesOf(day)}</ul>`).join('');
    expect(() => findGrouped(html, mark)).toThrow(
      'current: no element near the links has the number of page 1',
    );
  });
});

describe('of two lists', () => {
  /** A list with classes of its own. */
  const named = (name: string, anime: Anime[]) => list(anime).replace('list', name);

  test('the one that agrees is used', () => {
    const popular = ANIME.map(({ slug, title }) => `<li><a href="/anime/${slug}">${title}</a></li>`).join('');
    expect(selectorsOf(`<ol>${popular}</ol>${named('x', ANIME)}`)).toMatchObject({ list: '.x' });
  });

  test('the one with more records, or else with fewer unreadable cards, is used', () => {
    const [few, many] = [named('few', ANIME.slice(0, 8)), named('many', ANIME)];
    expect(selectorsOf(few + many)).toMatchObject({ list: '.many' });
    expect(selectorsOf(many + few)).toMatchObject({ list: '.many' });
    const broken = named('broken', ANIME).replace('</ul>', '<li class=card>x</li></ul>');
    expect(selectorsOf(broken + many)).toMatchObject({ list: '.many' });
    expect(selectorsOf(many + broken)).toMatchObject({ list: '.many' });
  });

  test('the one with more records is used, also where it has fewer known anime', () => {
    const news = [91, 92, 93].map(makeAnime);
    const html = named('known', ANIME) + named('more', [...ANIME.slice(0, 9), ...news]);
    expect(selectorsOf(html)).toMatchObject({ list: '.more' });
  });

  test('either is used when they have the same records, or records of different anime', () => {
    expect(selectorsOf(named('one', ANIME) + named('two', ANIME))).toMatchObject({ list: '.one' });
    const news = [...ANIME, makeAnime(99)];
    expect(selectorsOf(named('one', news) + named('two', ANIME))).toMatchObject({ list: '.one' });
    const others = [...ANIME.slice(0, 9), makeAnime(99)];
    expect(selectorsOf(named('one', ANIME) + named('two', others))).toMatchObject({ list: '.one' });
  });

  test('none is used when they have different records of an anime', () => {
    const other = ANIME.with(4, { ...ANIME[4]!, episode: 'Ep 99' });
    expect(() => find(named('one', ANIME) + named('two', other))).toThrow(
      'two lists of the page have different records',
    );
  });
});

describe('a field that is in the place of another one', () => {
  /** Each card has the title where its episode was, and the episode elsewhere. */
  const swapped = (count: number) =>
    list(ANIME, (one) => {
      const isSwapped = Number(one.slug.slice(6)) <= count;
      const { title, episode } = one;
      return isSwapped
        ? `<li class="card"><a href="/anime/${one.slug}">x</a><i class="episode a">${title}</i><b class="b">${episode}</b></li>`
        : `<li class="card"><a href="/anime/${one.slug}">x</a><i class="a">${title}</i><b class="b">${episode}</b></li>`;
    });

  test('is refused, because then the contents have changed', () => {
    expect(() => find(swapped(6))).toThrow('title was found in .episode, which is the place of the episode');
  });

  test('is accepted on half of the cards', () => {
    expect(selectorsOf(swapped(5))).toMatchObject({ title: '.a', episode: '.b' });
  });

  test('is accepted where both were in one place, or where an attribute has it', () => {
    const html = list(
      ANIME,
      ({ slug, title, episode }) =>
        `<li class="card"><a href="/anime/${slug}">x</a><i class="t" title="${title}">${episode}</i></li>`,
    );
    const selectors = { ...SELECTORS, title: '.t', episode: '.t' };
    expect(find(html, { selectors })).toMatchObject({ selectors: { title: '.t@title', episode: '.t' } });
  });
});
