import { expect, test } from 'vitest';
import { historyOf } from '../../src/domain/ledger.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { airEpisode, makeAnime } from '../support/fake-source.ts';
import { HOUR, openTestRefresh, PEEK_MS } from '../support/refresh.ts';

type Scene = Awaited<ReturnType<typeof openTestRefresh>>;

async function openCrawled() {
  const scene = await openTestRefresh(30);
  await scene.refresh();
  const peekLater = async () => {
    scene.clock.now += PEEK_MS;
    await scene.peek();
  };
  const told = async () =>
    (await scene.store.readListing())!.events.flatMap((one) => ('episode' in one ? [one.episode] : []));
  return { ...scene, peekLater, told };
}

/** Puts an anime on top of the list with a number. */
function show({ source }: Pick<Scene, 'source'>, episode: number) {
  const [one] = source.anime as [OngoingAnime];
  source.anime[0] = { ...one, episode, date: '21 Nov' };
}

test('a number that jumps waits for a second reading, and every episode after its correction is told', async () => {
  const scene = await openCrawled();
  airEpisode(scene.source, 7);
  const { slug, episode } = scene.source.anime[0]!;
  show(scene, episode + 9);
  await scene.peekLater();
  expect(await scene.told()).toEqual([]);
  await scene.peekLater();
  expect(await scene.told()).toEqual([episode + 9]);
  show(scene, episode);
  await scene.peekLater();
  expect(await scene.told()).toEqual([episode + 9, episode]);
  const { ledger } = (await scene.store.readSnapshot())!;
  expect(historyOf(ledger)[slug]?.[0]?.episode).toBe(episode);
});

test.each([1, 365])('a clock that was %i days ahead for one crawl leaves no trace', async (days) => {
  const scene = await openCrawled();
  const { clock, source, store, refresh } = scene;
  source.anime.unshift(makeAnime(99));
  clock.now += days * 24 * HOUR;
  await refresh();
  clock.now -= days * 24 * HOUR - HOUR;
  airEpisode(source, 5);
  await refresh();
  const { snapshot, events } = (await store.readListing())!;
  // Two changes are a second apart.
  expect(events.map(({ at }) => at <= clock.now + 1_000)).toEqual([true, true]);
  expect(JSON.stringify(snapshot)).not.toMatch(/"202[7-9]-/u);
});

test('a clock that is a day behind for one crawl dates nothing a day ago', async () => {
  const { clock, source, store, refresh } = await openCrawled();
  const before = clock.now;
  clock.now -= 24 * HOUR;
  airEpisode(source, 5);
  await refresh();
  clock.now += 25 * HOUR;
  const { events } = (await store.readListing())!;
  expect(events.map(({ at }) => at >= before)).toEqual([true]);
});
