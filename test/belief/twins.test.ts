import { expect, test } from 'vitest';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { airEpisode } from '../support/fake-source.ts';
import { HOUR, openTestRefresh } from '../support/refresh.ts';

/** A list of three pages, on which an anime of the third gets another slug, as the first peek after that sees it. */
async function openCorrected() {
  const scene = await openTestRefresh();
  const { source, clock, refresh } = scene;
  await refresh();
  const former = source.anime[55] as OngoingAnime;
  const corrected = {
    ...former,
    slug: `${former.slug}-benar`,
    episode: former.episode + 1,
    date: '21 Nov' as const,
  };
  clock.now += HOUR;
  const eventsOf = async () => {
    const { events } = (await scene.store.readListing())!;
    return events.map(({ type, slug }) => `${type} ${slug}`);
  };
  return { ...scene, former, corrected, eventsOf };
}

test('a peek that shows a corrected slug leads to a crawl, which finds the same anime', async () => {
  const { source, former, corrected, peek, eventsOf } = await openCorrected();
  source.anime = [corrected, ...source.anime.filter((one) => one !== former)];
  await peek();
  expect(source.reads.filter((what) => what === 'schedule')).toHaveLength(2);
  expect(await eventsOf()).toEqual([`renamed ${corrected.slug}`, `new-episode ${corrected.slug}`]);
});

test('two anime of one name are two once it has lasted, and peeks go on meanwhile', async () => {
  const { source, clock, corrected, peek, refresh, eventsOf } = await openCorrected();
  source.anime = [corrected, ...source.anime];
  await peek();
  expect(await eventsOf()).toEqual([]);
  clock.now += HOUR / 20;
  source.reads.length = 0;
  airEpisode(source, 20);
  await peek();
  expect(source.reads).toEqual(['1']);
  expect(await eventsOf()).toHaveLength(1);
  for (let crawl = 0; crawl < 3; crawl += 1) {
    clock.now += 3 * HOUR;
    await refresh();
  }
  expect(await eventsOf()).toContain(`added ${corrected.slug}`);
});
