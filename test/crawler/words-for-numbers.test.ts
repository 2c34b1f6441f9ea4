import { beforeEach, expect, test } from 'vitest';
import type { SnapshotStore } from '../../src/store/snapshot-store.ts';
import { listPath, openPageRefresh, openPageSource, SAMPLE_PAGES } from '../support/sample-pages.ts';
import { statusOf } from '../support/status.ts';

/** What editors write in place of "Episode 8". */
const WORDS = ['Epsiode 8', '8 & 9', 'v2', 'Episode 7.5', 'Special', 'Special Episode 13', 'OVA 1', 'Movie'];
const NUMBER = /(dashicons-desktop"><\/span>) Episode (\d+)/gu;

let alter: (html: string, path: string) => string;
let store: SnapshotStore;
let refresh: (isPeek?: boolean) => Promise<unknown>;

beforeEach(async () => {
  alter = (html) => html;
  const source = openPageSource((path) => alter(SAMPLE_PAGES.get(path) ?? '', path));
  ({ store, refresh } = await openPageRefresh(source));
});

/** Writes words on every card whose place on its page is a multiple of `every`. */
function writeWords(html: string, every: number): string {
  let place = 0;
  return html.replace(NUMBER, (card, icon) => {
    place += 1;
    return place % every === 0 ? `${icon} ${WORDS[place % WORDS.length]}` : card;
  });
}

test.each([
  ['a crawl', false],
  ['a peek', true],
])(
  'a list with words for a third of its numbers is read by %s, and keeps these records',
  async (_, isPeek) => {
    await refresh();
    const before = await store.readSnapshot();
    alter = (html) => writeWords(html, 3);
    await refresh(isPeek);
    expect(await statusOf(store)).toMatchObject({ state: 'ok', repaired: [] });
    expect((await store.readSnapshot())?.ongoing).toEqual(before?.ongoing);
  },
);

test('a renamed class beside them is repaired', async () => {
  await refresh();
  const before = await store.readSnapshot();
  alter = (html) => writeWords(html, 3).replaceAll('"jdlflm"', '"judul"').replaceAll("'epz'", "'nomor'");
  await refresh();
  expect((await statusOf(store)).repaired.map(({ field }) => field)).toEqual(['title', 'episode']);
  expect((await store.readSnapshot())?.ongoing).toEqual(before?.ongoing);
});

test('a list with words for most of its numbers is refused', async () => {
  alter = (html) => writeWords(html, 1);
  await expect(refresh()).rejects.toThrow(/episode is unreadable on \d+ of \d+ cards, for instance "8 & 9"/u);
});

test('a label in the place of the number is no word for it: the number is found again', async () => {
  await refresh();
  const before = await store.readSnapshot();
  alter = (html) => html.replace(NUMBER, '$1 Sub Indo</div><div class="nomor">Episode $2');
  await refresh();
  expect((await statusOf(store)).repaired).toMatchObject([{ field: 'episode', now: '.nomor' }]);
  expect(await store.readSnapshot()).toEqual(before);
});

test('an empty place of the number is no word for it', async () => {
  alter = (html, path) => {
    const [head = '', ...cards] = html.split(/(?=<li><div class='detpost')/u);
    return path === listPath(1)
      ? head + cards.map((card, index) => (index < 20 ? card.replace(NUMBER, '$1') : card)).join('')
      : html;
  };
  await expect(refresh()).rejects.toThrow(/episode is unreadable on 20 of \d+ cards, for instance ""/u);
});
