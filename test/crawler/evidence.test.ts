import { expect, test } from 'vitest';
import { historyOf } from '../../src/domain/ledger.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { airEpisode } from '../support/fake-source.ts';
import { openTestRefresh, PEEK_MS } from '../support/refresh.ts';

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
