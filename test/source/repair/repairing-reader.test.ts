import { expect, test } from 'vitest';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import { createRepairingReader } from '../../../src/source/repair/repairing-reader.ts';
import { otakudesu } from '../../../src/source/sites/otakudesu/site.ts';
import { type CrawlMemory, isReadable } from '../../../src/source/source.ts';
import { parseOngoing } from '../../support/parse-pages.ts';
import { listPath, MIRROR, SAMPLE_PAGES } from '../../support/sample-pages.ts';
import { refusal } from '../support/refusal.ts';

const urlOf = (page: number) => MIRROR + listPath(page);
const [FIRST, SECOND] = [SAMPLE_PAGES.get(listPath(1))!, SAMPLE_PAGES.get(listPath(2))!];
const cardsOf = (html: string) => parseOngoing(html, urlOf(1)).cards.filter(isReadable);
const ANIME = [...cardsOf(FIRST), ...cardsOf(SECOND)];
const renamed = (html: string, name = 'judul') => html.replaceAll('"jdlflm"', `"${name}"`);
const untitled = (html: string) => html.replaceAll(/<h2 class="jdlflm">[^<]*<\/h2>/gu, '');
const TITLE_REPAIR = { field: 'title', was: '.jdlflm', now: '.judul' };

interface Scene extends Partial<Pick<CrawlMemory, 'repairs' | 'mayRepair'>> {
  known?: OngoingAnime[];
}

function openReader({ known = ANIME, repairs = [], mayRepair = true }: Scene = {}) {
  const lastGood = { schedule: [], ongoing: known };
  const reader = createRepairingReader(otakudesu.ongoing, { lastGood, repairs, mayRepair });
  const read = (html: string, page = 1) => reader.read(html, urlOf(page)).cards.filter(isReadable);
  return { ...reader, read };
}

test('each page is read by the selectors that match it', () => {
  const reader = openReader();
  expect(reader.chosen()).toBeUndefined();
  expect(reader.read(FIRST)).toEqual(cardsOf(FIRST));
  expect(reader.chosen()).toBe('written');
  expect(reader.result()).toEqual({ repairs: [], failure: undefined });
  expect(reader.read(renamed(SECOND), 2)).toEqual(cardsOf(SECOND));
  expect(reader.chosen()).toBe('repaired');
  reader.keepWritten();
  expect(reader.chosen()).toBe('written');
  expect(reader.read(renamed(FIRST))).toEqual(cardsOf(FIRST));
  const repairs = [{ ...TITLE_REPAIR, agreement: 1 }];
  expect(reader.result()).toEqual({ repairs, failure: undefined });
});

test('nothing is repaired where nothing is known', () => {
  const reader = openReader({ known: [] });
  expect(reader.read(renamed(FIRST))).toEqual([]);
  expect(reader.chosen()).toBeUndefined();
  expect(reader.result().failure).toBeUndefined();
  expect(reader.isUndecided()).toBe(false);
});

test('a page with new anime alone is read by the repair of another page', () => {
  const reader = openReader({ known: cardsOf(FIRST) });
  reader.read(renamed(FIRST));
  expect(reader.read(renamed(SECOND), 2)).toEqual(cardsOf(SECOND));
});

test('a first page with new anime alone decides nothing, and the next page can', () => {
  const known = cardsOf(SECOND);
  for (const [next, chosen] of [
    [renamed(SECOND), 'repaired'],
    [SECOND, 'written'],
  ] as const) {
    const reader = openReader({ known, repairs: [TITLE_REPAIR] });
    expect(reader.read(renamed(FIRST))).toEqual([]);
    expect(reader.isUndecided()).toBe(true);
    reader.read(next, 2);
    expect(reader.chosen()).toBe(chosen);
    expect(reader.isUndecided()).toBe(false);
  }
  const peek = openReader({ known, mayRepair: false });
  peek.read(renamed(FIRST));
  expect(peek.isUndecided()).toBe(false);
});

test('the repairs of the last good crawl are used where nothing may be repaired', () => {
  const reader = openReader({ repairs: [TITLE_REPAIR], mayRepair: false });
  expect(reader.read(renamed(FIRST))).toEqual(cardsOf(FIRST));
  expect(reader.result().repairs).toEqual([{ ...TITLE_REPAIR, agreement: 1 }]);
});

test.each([
  ['of another field', { ...TITLE_REPAIR, field: 'name' }],
  ['of another kind of page', { ...TITLE_REPAIR, field: 'schedule title' }],
  ['of selectors that have been changed since', { ...TITLE_REPAIR, was: '.nama' }],
])('repairs of the last good crawl are not used when they are %s', (_what, repair) => {
  const reader = openReader({ repairs: [repair], mayRepair: false });
  expect(reader.read(renamed(FIRST))).toEqual([]);
  expect(reader.result()).toEqual({ repairs: [], failure: 'only a whole crawl repairs selectors' });
});

test('a page that cannot be repaired is left to the written selectors, and the next one can be', () => {
  const reader = openReader();
  expect(reader.read(untitled(FIRST))).toEqual([]);
  const failure = 'title: nothing in the cards agrees with the last good list';
  expect(reader.result()).toEqual({ repairs: [], failure });
  expect(reader.chosen()).toBeUndefined();
  expect(reader.read(renamed(SECOND), 2)).toEqual(cardsOf(SECOND));
});

test.each([
  ['no selector of the site matches', (html: string) => html.replace('"venz"', '"daftar"')],
  ['.*2 lists.*', (html: string) => html.replace('<div class="clear">', '<div class="venz"></div>$&')],
])('a page that the written selectors refuse is refused with both reasons: %s', (problem, change) => {
  const reason = `^${problem}; the page links to known anime, but its selectors cannot be repaired: title: nothing`;
  expect(() => openReader().read(change(untitled(FIRST)))).toThrow(
    refusal('source-changed', new RegExp(reason, 'u')),
  );
});
