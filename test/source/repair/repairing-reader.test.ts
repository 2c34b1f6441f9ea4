import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import type { PageModel } from '../../../src/source/repair/page-model.ts';
import { createRepairingReader } from '../../../src/source/repair/repairing-reader.ts';
import type { CrawlMemory } from '../../../src/source/source.ts';
import { type Anime, card, knownFrom, list, listAnime, MODEL, PAGE_URL } from '../support/shelf.ts';

const ANIME = listAnime(30);
const [FIRST, SECOND] = [ANIME.slice(0, 10), ANIME.slice(10, 20)];
const recordsOf = (anime: Anime[]) => anime.map(({ slug, title, episode }) => ({ slug, title, episode }));
const renamed = (anime: Anime[], name = 'judul') => list(anime).replaceAll('"title"', `"${name}"`);
const TITLE_REPAIR = { field: 'title', was: '.title', now: '.judul' };

type Shelf = ReturnType<typeof MODEL.read>;

interface Scene extends Partial<Pick<CrawlMemory, 'repairs' | 'mayRepair'>> {
  known?: Anime[];
  model?: Partial<PageModel<Shelf>>;
}

function openReader({ known = ANIME, repairs = [], mayRepair = true, model = {} }: Scene = {}) {
  const lastGood = { schedule: [], ongoing: [] };
  const reader = createRepairingReader(
    { ...MODEL, knownFrom: () => knownFrom(known), ...model },
    { lastGood, repairs, mayRepair },
  );
  const read = (html: string, page = 1) => reader.read(html, `${PAGE_URL}${page}`, page).records;
  return { ...reader, read };
}

/** A site that refuses pages without its list. */
const STRICT: Partial<PageModel<Shelf>> = {
  read(page, pageUrl, selectors) {
    if (page.find(selectors.list ?? '').length === 0) throw new AppError('source-moved', 'not the site');
    return MODEL.read(page, pageUrl, selectors);
  },
};

describe('the written selectors', () => {
  test('are used while they match', () => {
    const reader = openReader();
    expect(reader.chosen()).toBeUndefined();
    expect(reader.read(list(FIRST))).toEqual(recordsOf(FIRST));
    expect(reader.chosen()).toBe('written');
    expect(reader.result()).toEqual({ repairs: [], failure: undefined });
  });

  test('are used again after a page that they do not match', () => {
    const reader = openReader();
    expect(reader.read(list(FIRST))).toEqual(recordsOf(FIRST));
    expect(reader.read(renamed(SECOND), 2)).toEqual(recordsOf(SECOND));
    expect(reader.chosen()).toBe('repaired');
    expect(reader.read(list(FIRST))).toEqual(recordsOf(FIRST));
    expect(reader.chosen()).toBe('written');
    expect(reader.result().repairs).toMatchObject([TITLE_REPAIR]);
  });

  test('have read a page that is unchanged since', () => {
    const reader = openReader();
    reader.keepWritten();
    expect(reader.chosen()).toBe('written');
  });

  test('stay in use where nothing is known', () => {
    const reader = openReader({ known: [] });
    expect(reader.read(renamed(FIRST))).toEqual([]);
    expect(reader.chosen()).toBeUndefined();
    expect(reader.result().failure).toBeUndefined();
    expect(reader.isUndecided()).toBe(false);
  });

  test('are used for a page of another site, which decides nothing', () => {
    const reader = openReader({ model: STRICT });
    expect(() => reader.read('<p>parked')).toThrow('not the site');
    expect(reader.chosen()).toBeUndefined();
    expect(reader.isUndecided()).toBe(false);
    expect(reader.read(renamed(FIRST))).toEqual(recordsOf(FIRST));
  });
});

test.each([
  ['a tenth of the cards cannot be read', 1, 'written'],
  ['more cannot be read', 2, 'repaired'],
])('a page on which %s is read by the other selectors', (_what, count, chosen) => {
  const reader = openReader();
  const html = list(FIRST, (one) => {
    const isRenamed = FIRST.indexOf(one) < count;
    return card(one).replace('"title"', isRenamed ? '"judul x"' : '"title x"');
  });
  expect(reader.read(html)).toHaveLength(chosen === 'written' ? 9 : 10);
  expect(reader.chosen()).toBe(chosen);
});

describe('selectors that do not match', () => {
  test('are repaired on the first page, and used for the following ones', () => {
    const reader = openReader();
    expect(reader.read(renamed(FIRST))).toEqual(recordsOf(FIRST));
    expect(reader.chosen()).toBe('repaired');
    expect(reader.read(renamed(SECOND), 2)).toEqual(recordsOf(SECOND));
    expect(reader.chosen()).toBe('repaired');
    expect(reader.result()).toEqual({ repairs: [{ ...TITLE_REPAIR, agreement: 1 }], failure: undefined });
  });

  test('are named with the prefix of the kind of page', () => {
    const reader = openReader({ model: { prefix: 'schedule ' } });
    reader.read(renamed(FIRST));
    expect(reader.result().repairs).toMatchObject([{ field: 'schedule title' }]);
  });

  test('are repaired with the share of the known anime that agree, over all pages', () => {
    const reader = openReader();
    const off = (anime: Anime[]) => anime.with(0, { ...anime[0]!, title: 'Judul 99' });
    reader.read(renamed(off(FIRST)));
    expect(reader.result().repairs).toMatchObject([{ agreement: 0.9 }]);
    reader.read(renamed(SECOND), 2);
    expect(reader.result().repairs).toMatchObject([{ agreement: 0.95 }]);
    reader.read(renamed(off(SECOND)), 2);
    expect(reader.result().repairs).toMatchObject([{ agreement: 0.9 }]);
  });

  test('count a container as agreeing on all known anime', () => {
    const reader = openReader({ model: STRICT });
    reader.read(renamed(FIRST).replace('class="list"', 'class="daftar"'));
    expect(reader.result().repairs).toEqual([
      { field: 'list', was: '.list', now: '.daftar', agreement: 1 },
      { ...TITLE_REPAIR, agreement: 1 },
    ]);
  });

  test('read a later page with new anime alone, which could not be repaired itself', () => {
    const reader = openReader({ known: FIRST });
    reader.read(renamed(FIRST));
    expect(reader.read(renamed(SECOND), 2)).toEqual(recordsOf(SECOND));
  });
});

describe('the repairs of the last good crawl', () => {
  const repairs = [TITLE_REPAIR];

  test('are used where the written selectors do not match, also where nothing may be repaired', () => {
    const reader = openReader({ repairs, mayRepair: false });
    expect(reader.read(renamed(FIRST))).toEqual(recordsOf(FIRST));
    expect(reader.chosen()).toBe('repaired');
    expect(reader.result().repairs).toEqual([{ ...TITLE_REPAIR, agreement: 1 }]);
  });

  test('are not used where the written selectors match again', () => {
    const reader = openReader({ repairs });
    reader.read(list(FIRST));
    expect(reader.chosen()).toBe('written');
  });

  test('are replaced where they do not match any more', () => {
    const reader = openReader({ repairs });
    reader.read(renamed(FIRST, 'nama'));
    expect(reader.result().repairs).toMatchObject([{ now: '.nama' }]);
  });

  test.each([
    ['of another field', { ...TITLE_REPAIR, field: 'name' }],
    ['of another kind of page', { ...TITLE_REPAIR, field: 'schedule title' }],
    ['of selectors that have been changed since', { ...TITLE_REPAIR, was: '.nama' }],
  ])('are not used when they are %s', (_what, repair) => {
    const reader = openReader({ repairs: [repair], mayRepair: false });
    expect(() => reader.read(renamed(FIRST))).not.toThrow();
    expect(reader.result()).toEqual({ repairs: [], failure: 'only a whole crawl repairs selectors' });
  });

  test('are not used for a page on which nothing is known', () => {
    const reader = openReader({ repairs });
    const news = listAnime(40).slice(30);
    expect(reader.read(renamed(news))).toEqual([]);
    expect(reader.chosen()).toBeUndefined();
    expect(reader.isUndecided()).toBe(true);
  });
});

describe('a repair that is not possible', () => {
  const without = (anime: Anime[]) => list(anime).replaceAll(/<b .*?<\/b>/gu, '');

  test('leaves the page to the written selectors, and the next one to another repair', () => {
    const reader = openReader();
    expect(reader.read(without(FIRST))).toEqual([]);
    const failure = 'title: nothing in the cards agrees with the last good list';
    expect(reader.result()).toEqual({ repairs: [], failure });
    expect(reader.chosen()).toBeUndefined();
    expect(reader.isUndecided()).toBe(false);
    expect(reader.read(renamed(SECOND), 2)).toEqual(recordsOf(SECOND));
  });

  test('refuses a page that the written selectors cannot read at all', () => {
    const html = without(FIRST).replace('"list"', '"daftar"');
    const problem = (code: 'source-moved' | 'source-changed', message: string) => ({
      read() {
        throw new AppError(code, message);
      },
    });
    const end =
      'the page links to known anime, but its selectors cannot be repaired: title: nothing in the cards agrees with the last good list';
    expect(() => openReader({ model: problem('source-moved', 'not the site') }).read(html)).toThrow(
      expect.objectContaining({ code: 'source-changed', message: `no selector of the site matches; ${end}` }),
    );
    expect(() => openReader({ model: problem('source-changed', 'two lists') }).read(html)).toThrow(
      expect.objectContaining({ code: 'source-changed', message: `two lists; ${end}` }),
    );
  });

  test('has a reason of at most 300 characters', () => {
    const name = 'x'.repeat(400);
    const fields = MODEL.fields.map((one) => ({ ...one, name }));
    const reader = openReader({ model: { fields, selectors: { ...MODEL.selectors, [name]: '.title' } } });
    reader.read(without(FIRST));
    expect(reader.result().failure?.length).toBeLessThanOrEqual(300);
  });
});

describe('a page with too few known anime', () => {
  const news = renamed(listAnime(40).slice(30));

  test('decides nothing, and the next page can', () => {
    const reader = openReader();
    reader.read(news);
    expect(reader.isUndecided()).toBe(true);
    reader.read(renamed(FIRST), 2);
    expect(reader.isUndecided()).toBe(false);
    expect(reader.chosen()).toBe('repaired');
  });

  test('is no reason to wait once a later page has been read by the written selectors', () => {
    const reader = openReader();
    reader.read(news);
    reader.read(list(FIRST), 2);
    expect(reader.chosen()).toBe('written');
    expect(reader.isUndecided()).toBe(false);
  });

  test('is no reason to wait where nothing may be repaired, or where it links to no anime', () => {
    const peek = openReader({ mayRepair: false });
    peek.read(news);
    expect(peek.isUndecided()).toBe(false);
    const reader = openReader();
    reader.read(news);
    reader.read('<p>');
    expect(reader.isUndecided()).toBe(false);
  });
});
