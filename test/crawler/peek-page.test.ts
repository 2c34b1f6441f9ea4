import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import type { OngoingPage } from '../../src/source/source.ts';
import { airEpisode, makeAnime } from '../support/fake-source.ts';
import { MORE } from '../support/more-runs.ts';
import { HOUR, openTestRefresh, PEEK_MS } from '../support/refresh.ts';
import { statusOf } from '../support/status.ts';

type List = OngoingAnime[];
type Cards = OngoingPage['cards'];

async function openCrawled(count = 60) {
  const scene = await openTestRefresh(count);
  const { source } = scene;
  await scene.refresh();
  source.reads.length = 0;
  scene.clock.now += PEEK_MS;
  const listed = async () => (await scene.store.readSnapshot())?.ongoing;
  const show = (change: (cards: Cards) => Cards) => {
    source.alterOngoing = (page) => (page.number === 1 ? { ...page, cards: change(page.cards) } : page);
  };
  return { ...scene, listed, show };
}

test('peeks and the crawls that they need show whatever episodes and anime come', async () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant('air' as const), at: fc.nat(80) }),
    fc.record({ type: fc.constant('add' as const), at: fc.nat(80) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(79), fc.array(step, { maxLength: 4 }), async (more, steps) => {
      const { source, clock, peek, listed } = await openCrawled(1 + more);
      for (const [index, { type, at }] of steps.entries())
        if (type === 'air') airEpisode(source, at % source.anime.length);
        else source.anime.unshift(makeAnime(100 + index));
      await peek();
      // An anime with several new episodes waits for a second reading.
      clock.now += PEEK_MS;
      await peek();
      expect(await listed()).toEqual(source.anime);
    }),
    { numRuns: 100 * MORE },
  );
});

describe('no crawl is needed', () => {
  test.each<[string, (cards: Cards, anime: List) => Cards]>([
    ['for a card less than on the other pages', (cards) => cards.slice(0, -1)],
    ['for a card more than on the other pages', (_, anime) => anime.slice(0, 26)],
    ['for an unreadable card of a known anime', (cards) => cards.with(3, unreadable('judul-3'))],
    ['for an unreadable card on top without an address', (cards) => [unreadable(), ...cards.slice(0, -1)]],
    ['for one of an unknown anime', (cards) => [unreadable('baru'), ...cards.slice(0, -1)]],
  ])('%s', async (_name, change) => {
    const { source, peek, listed, show } = await openCrawled();
    airEpisode(source, 40);
    await peek();
    show((cards) => change(cards, source.anime));
    await peek();
    expect(source.reads).toEqual(['1', '1']);
    expect(await listed()).toEqual(source.anime);
  });

  test('for an anime that is missing, and was not in the last crawl either', async () => {
    const { source, refresh, peek, slugs } = await openCrawled();
    source.anime.splice(2, 1);
    await refresh();
    source.reads.length = 0;
    airEpisode(source, 7);
    await peek();
    expect(source.reads).toEqual(['1']);
    expect(await slugs()).toEqual(expect.arrayContaining(['judul-3', 'judul-9']));
  });
});

describe('a crawl follows', () => {
  test.each<[string, (anime: List) => List]>([
    ['when an anime of page 1 is gone', (anime) => anime.toSpliced(4, 1)],
    ['when the last page is gone', (anime) => anime.slice(0, 50)],
    ['when an entry changed below one that did not', (anime) => anime.with(3, { ...anime[3]!, episode: 7 })],
    ['when one that did not change went to the top', (anime) => [anime[4]!, ...anime.toSpliced(4, 1)]],
    ['when two entries changed places', (anime) => anime.with(1, anime[2]!).with(2, anime[1]!)],
    ['when all is new, so that more may be new on page 2', (anime) => [...listNew(25), ...anime]],
  ])('%s', async (_name, change) => {
    const { clock, source, peek, refresh, listed } = await openCrawled(52);
    source.anime = change(source.anime);
    await peek();
    expect(source.reads.slice(0, 2)).toEqual(['1', 'schedule']);
    for (let crawl = 0; crawl < 2; crawl += 1) {
      clock.now += 3 * HOUR;
      await refresh();
    }
    expect(await listed()).toEqual(source.anime);
  });

  test('when page 1 contradicts the list, whose news are told all the same', async () => {
    const { source, store, peek, show } = await openCrawled();
    airEpisode(source, 7);
    show((cards) => cards.map((card, index) => (index > 0 ? { ...card, day: 'None' } : card)));
    await expect(peek()).rejects.toThrow(/day differs/u);
    const { events } = (await store.readListing())!;
    expect(events).toMatchObject([{ type: 'new-episode', slug: 'judul-8' }]);
    expect((await statusOf(store)).state).toBe('changed');
  });
});

const unreadable = (slug?: string) => ({ card: 1, ...(slug && { slug }), faults: [] });
const listNew = (count: number) => Array.from({ length: count }, (_, index) => makeAnime(100 + index));
