import { expect, test } from 'vitest';
import { openSnapshotStore } from '../../src/crawler/snapshot-store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import { writeListing } from '../../src/crawler/write-listing.ts';
import type { Listing } from '../../src/domain/listing.ts';
import { presentEvent } from '../../src/publishing/events.ts';
import { makeAnime } from '../support/fake-source.ts';

const [ONE, TWO] = [makeAnime(1), makeAnime(2)];
const listing = (...ongoing: Listing['ongoing']): Listing => ({ schedule: [], ongoing });

/** A store in memory that has the first listing, and the names of what is written after that. */
async function openWritten(first: Listing) {
  const inMemory = await openSnapshotStore(await openMemoryStore(), () => 0.5);
  const writes: string[] = [];
  const store: typeof inMemory = {
    ...inMemory,
    writeEvents: (...written) => {
      writes.push('events');
      return inMemory.writeEvents(...written);
    },
    writeSnapshot: (...written) => {
      writes.push('snapshot');
      return inMemory.writeSnapshot(...written);
    },
  };
  const write = async (next: Listing, now = 5_000) => {
    const lastGood = await store.readSnapshot();
    return writeListing({ store, now: () => now, mirror: 'https://one.example' }, next, lastGood);
  };
  const { changes } = await write(first);
  writes.length = 0;
  return { store, writes, write, firstChanges: changes };
}

test('the first listing is written without events', async () => {
  const { store, firstChanges } = await openWritten(listing(ONE));
  expect(firstChanges.map(({ type }) => type)).toEqual(['added']);
  expect(await store.readSnapshot()).toMatchObject({ lastEvent: 0, episodeHistory: {} });
  expect(await store.readEvents(99)).toEqual([]);
});

test('a new cover is written without events', async () => {
  const { writes, write } = await openWritten(listing(ONE));
  const { changes } = await write(listing({ ...ONE, image: 'https://one.example/new.jpg' }));
  expect([changes, writes]).toEqual([[], ['snapshot']]);
});

test('events are written before the snapshot, with the cover that an anime has, or had when it left', async () => {
  const { store, writes, write } = await openWritten(listing(ONE));
  const { snapshot } = await write(listing(TWO));
  expect(writes).toEqual(['events', 'snapshot']);
  expect(snapshot.lastEvent).toBe(2);
  const told = (await store.readEvents(2)).map(({ type, image, link }) => ({ type, image, link }));
  expect(told).toEqual([
    {
      type: 'added',
      image: TWO.image,
      link: expect.stringContaining(`https://one.example/anime/${TWO.slug}`),
    },
    {
      type: 'left',
      image: ONE.image,
      link: expect.stringContaining(`https://one.example/anime/${ONE.slug}`),
    },
  ]);
});

test('an event has the new cover where the cover changed too', async () => {
  const { store, write } = await openWritten(listing(ONE));
  const image = 'https://one.example/new.jpg';
  await write(listing({ ...ONE, episode: ONE.episode + 1, image }));
  expect(await store.readEvents(1)).toEqual([expect.objectContaining({ type: 'new-episode', image })]);
});

test('an event of an anime without a cover has no image', async () => {
  const { store, write } = await openWritten(listing());
  await write(listing({ ...ONE, image: '' }));
  expect((await store.readEvents(1))[0]).not.toHaveProperty('image');
});

test('an event says whether an added anime had been listed before, and what is published does not', async () => {
  const { store, write } = await openWritten(listing(ONE));
  await write(listing());
  await write(listing(ONE, TWO), 8 * 86_400_000);
  const added = (await store.readEvents(9)).filter(({ type }) => type === 'added');
  expect(added.map(({ slug, isReturn }) => [slug, isReturn])).toEqual([
    [ONE.slug, true],
    [TWO.slug, undefined],
  ]);
  expect(presentEvent(added[0]!)).not.toHaveProperty('isReturn');
});
