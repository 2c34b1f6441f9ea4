import { describe, expect, test } from 'vitest';
import { makeAnime } from '../support/fake-source.ts';
import { openTestRefresh } from '../support/refresh.ts';

const pagesRead = (reads: string[]) => reads.filter((what) => what !== 'schedule').length;

describe('an endless list', () => {
  test('is refused when its pager moves on with every page', async () => {
    const { source, refresh } = await openTestRefresh();
    source.alterOngoing = (page) => ({
      ...page,
      lastNumber: page.number + 1,
      cards: Array.from({ length: 25 }, (_, index) => makeAnime(page.number * 25 + index)),
    });
    await expect(refresh()).rejects.toThrow(/page 1 says that the list ends at 2, page 4 says at 5/u);
    expect(pagesRead(source.reads)).toBeLessThan(10);
  });

  test('is refused when a page repeats entries of the pages before it', async () => {
    const { source, refresh } = await openTestRefresh();
    const [cards] = [source.anime.slice(0, 25)];
    source.alterOngoing = (page) => ({ ...page, lastNumber: 90, cards });
    await expect(refresh()).rejects.toThrow(/page 2 of the ongoing list has no anime that .* before it/u);
    expect(pagesRead(source.reads)).toBeLessThan(10);
  });

  test('is accepted when it grows by a page or two during the crawl', async () => {
    const { source, refresh } = await openTestRefresh(74);
    await refresh();
    source.onRead = (what) => {
      if (what === '2') source.anime.unshift(makeAnime(200), makeAnime(201));
      source.onRead = what === '2' ? () => {} : source.onRead;
    };
    expect(await refresh()).toMatchObject({ anime: 76 });
  });
});
