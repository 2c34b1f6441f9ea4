import { expect, test } from 'vitest';
import { historyOf } from '../../src/belief/releases.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { openMemoryStore } from '../../src/store/drivers/memory.ts';
import { HOUR, openTestRefresh } from '../support/refresh.ts';
import { writeValues } from '../support/write-store.ts';
import STORED from './store-of-1.0.0.json' with { type: 'json' };

/** What 1.0.0 wrote of three anime: one had a new episode, whose number was then mistyped and corrected on the same day. */
async function openUpgraded() {
  const driver = await openMemoryStore();
  const { listing, status, snapshot } = STORED;
  await writeValues(driver, { listing, status, snapshot });
  const scene = await openTestRefresh(3, driver);
  scene.source.anime = STORED.anime as OngoingAnime[];
  scene.clock.now = STORED.status.attemptedAt + HOUR;
  return scene;
}

test('a store of 1.0.0 keeps its history, and announces nothing again', async () => {
  const { store, refresh } = await openUpgraded();
  const { snapshot, events } = store.known().listing!;
  expect(historyOf(snapshot.ledger)).toEqual(STORED.history);
  expect(events).toEqual(STORED.listing.events);
  for (let crawl = 0; crawl < 3; crawl += 1) expect((await refresh()).changes).toEqual([]);
  expect((await store.readListing())!.events).toEqual(STORED.listing.events);
});

test('an episode whose number was told by mistake before the upgrade is told when it comes', async () => {
  const { source, clock, refresh } = await openUpgraded();
  await refresh();
  clock.now += 7 * 24 * HOUR;
  const [aired, ...others] = source.anime as [OngoingAnime, ...OngoingAnime[]];
  source.anime = [{ ...aired, episode: aired.episode + 1, date: '28 Nov' }, ...others];
  const { changes } = await refresh();
  expect(changes).toMatchObject([{ type: 'new-episode', slug: aired.slug, episode: aired.episode + 1 }]);
});
