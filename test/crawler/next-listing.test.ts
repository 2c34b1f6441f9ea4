import { expect, test } from 'vitest';
import { appendEvents, nextListing } from '../../src/crawler/next-listing.ts';
import { openSnapshotStore } from '../../src/crawler/snapshot-store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import type { Listing } from '../../src/domain/listing.ts';
import { presentEvent } from '../../src/publishing/events.ts';
import { makeAnime } from '../support/fake-source.ts';
import { writeStore } from '../support/write-store.ts';

const [ONE, TWO] = [makeAnime(1), makeAnime(2)];
const listing = (...ongoing: Listing['ongoing']): Listing => ({ schedule: [], ongoing });

/** A store in memory that has the first listing. */
async function openWritten(first: Listing) {
  const store = await openSnapshotStore(await openMemoryStore(), { random: () => 0.5 });
  const write = async (next: Listing, now = 5_000) => {
    const known = await store.readListing();
    const written = nextListing(next, known, { now, mirror: 'https://one.example' });
    await writeStore(store, { listing: written.listing });
    return { ...written, snapshot: written.listing.snapshot };
  };
  const events = async () => (await store.readListing())!.events;
  const { changes } = await write(first);
  return { store, events, write, firstChanges: changes };
}

test('events are kept for thirty days, and at most the newest ten thousand', () => {
  const day = 86_400_000;
  const left = { type: 'left', slug: 'a', title: 'A' } as const;
  const numbersOf = (events: readonly { number: number }[]) => events.map(({ number }) => number);
  const log = appendEvents([], [left], { last: 0, at: day });
  expect(numbersOf(appendEvents(log, [left], { last: 1, at: 31 * day - 1 }))).toEqual([1, 2]);
  // The last one is what a client that is up to date names.
  const later = appendEvents(log, [left], { last: 1, at: 31 * day });
  expect(numbersOf(later)).toEqual([1, 2]);
  expect(numbersOf(appendEvents(later, [left], { last: 2, at: 31 * day }))).toEqual([2, 3]);
  const many = numbersOf(appendEvents([], Array(10_005).fill(left), { last: 0, at: day }));
  expect([many.length, many[0], many.at(-1)]).toEqual([10_000, 6, 10_005]);
});

test('the first listing is written without events', async () => {
  const { store, events, firstChanges } = await openWritten(listing(ONE));
  expect(firstChanges.map(({ type }) => type)).toEqual(['added']);
  expect(await store.readSnapshot()).toMatchObject({ lastEvent: 0 });
  expect(await events()).toEqual([]);
});

test('a new cover is written without events', async () => {
  const { store, events, write } = await openWritten(listing(ONE));
  const image = 'https://one.example/new.jpg';
  expect((await write(listing({ ...ONE, image }))).changes).toEqual([]);
  expect((await store.readSnapshot())?.ongoing).toMatchObject([{ image }]);
  expect(await events()).toEqual([]);
});

test('an event has the cover that an anime has, or had when it left', async () => {
  const { events, write } = await openWritten(listing(ONE));
  const { snapshot } = await write(listing(TWO));
  expect(snapshot.lastEvent).toBe(2);
  const told = (await events()).map(({ type, image, link }) => ({ type, image, link }));
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
  const { events, write } = await openWritten(listing(ONE));
  const image = 'https://one.example/new.jpg';
  await write(listing({ ...ONE, episode: ONE.episode + 1, image }));
  expect(await events()).toEqual([expect.objectContaining({ type: 'new-episode', image })]);
});

test('an event of an anime without a cover has no image', async () => {
  const { events, write } = await openWritten(listing());
  await write(listing({ ...ONE, image: '' }));
  expect((await events())[0]).not.toHaveProperty('image');
});

test('an event says whether an added anime had been listed before, and what is published does not', async () => {
  const { events, write } = await openWritten(listing(ONE));
  await write(listing());
  await write(listing(ONE, TWO), 8 * 86_400_000);
  const added = (await events()).filter(({ type }) => type === 'added');
  expect(added.map(({ slug, isReturn }) => [slug, isReturn])).toEqual([
    [ONE.slug, true],
    [TWO.slug, undefined],
  ]);
  expect(presentEvent(added[0]!)).not.toHaveProperty('isReturn');
});
