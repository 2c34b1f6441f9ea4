import { expect, test } from 'vitest';
import { listEntries } from '../../src/domain/listing.ts';
import { renamedSlugs } from '../../src/domain/snapshot.ts';
import { HOUR, openTestRefresh } from '../support/refresh.ts';

/** What becomes of a slug after the source has corrected it. */

const DAY = 24 * HOUR;

/** Sixty anime, of which the source has just corrected the slug of the 40th. */
async function openCorrected() {
  const scene = await openTestScene();
  const { source, clock, refresh } = scene;
  await refresh();
  source.anime[39]!.slug = 'judul-baru';
  clock.now += HOUR;
  await refresh();
  return scene;
}

async function openTestScene() {
  const scene = await openTestRefresh();
  const { clock, refresh, store } = scene;
  return {
    ...scene,
    /** The types of all events, with the slugs. */
    told: async () => (await store.readListing())!.events.map(({ type, slug }) => `${type} ${slug}`),
    leads: async () => Object.fromEntries(renamedSlugs((await store.readSnapshot())!, clock.now)),
    /** Crawls every hour for so long. */
    async crawlFor(ms: number) {
      for (const end = clock.now + ms; clock.now < end; ) {
        clock.now += HOUR;
        await refresh();
      }
    },
  };
}

test('leads to the new one for 90 days', async () => {
  const { told, leads, clock, refresh, source } = await openCorrected();
  expect(await told()).toEqual(['renamed judul-baru']);
  clock.now += 90 * DAY - 1;
  expect(await leads()).toEqual({ 'judul-40': 'judul-baru' });
  clock.now += 1;
  expect(await leads()).toEqual({});
  source.anime[0]!.image = 'https://one.example/other.jpg';
  await refresh(true);
  expect(await leads()).toEqual({});
});

test('on a page from before the correction, it is still the anime with the new slug', async () => {
  const { source, told, slugs, crawlFor } = await openCorrected();
  source.alterOngoing = (page) => ({
    ...page,
    cards: page.cards.map((card) => (card.slug === 'judul-baru' ? { ...card, slug: 'judul-40' } : card)),
  });
  await crawlFor(2 * DAY);
  expect(await told()).toEqual(['renamed judul-baru']);
  expect(await slugs()).not.toContain('judul-40');
});

test('on a schedule from before the correction, too, from the crawl on that finds the correction', async () => {
  const { source, refresh, clock, store, told, leads, crawlFor } = await openTestScene();
  await refresh();
  const former = source.anime[39]!;
  const day = former.day;
  former.slug = 'judul-baru';
  source.alterSchedule = (page) => ({
    ...page,
    groups: page.groups.map((group) => ({
      ...group,
      cards: group.cards.map((card) => (card.slug === 'judul-baru' ? { ...card, slug: 'judul-40' } : card)),
    })),
  });
  clock.now += HOUR;
  await refresh();
  const scheduled = async () =>
    listEntries((await store.readSnapshot())!.schedule).filter(({ title }) => title === 'Judul 40');
  expect(await scheduled()).toEqual([{ title: 'Judul 40', slug: 'judul-baru', day }]);
  expect(await leads()).toEqual({ 'judul-40': 'judul-baru' });
  await crawlFor(2 * DAY);
  expect(await scheduled()).toHaveLength(1);
  expect(await told()).toEqual(['renamed judul-baru']);
});

test('is corrected once the list has the new one, where the schedule had it before', async () => {
  const { source, refresh, clock, store, told, slugs, leads, crawlFor } = await openTestScene();
  await refresh();
  source.anime[39]!.slug = 'judul-baru';
  const { alterOngoing } = source;
  source.alterOngoing = (page) => ({
    ...page,
    cards: page.cards.map((card) => (card.slug === 'judul-baru' ? { ...card, slug: 'judul-40' } : card)),
  });
  clock.now += HOUR;
  await refresh();
  expect(await told()).toEqual([]);
  source.alterOngoing = alterOngoing;
  await crawlFor(3 * HOUR);
  expect(await told()).toEqual(['renamed judul-baru']);
  expect(await slugs()).not.toContain('judul-40');
  expect(await leads()).toEqual({ 'judul-40': 'judul-baru' });
  const scheduled = listEntries((await store.readSnapshot())!.schedule);
  expect(scheduled.filter(({ title }) => title === 'Judul 40')).toHaveLength(1);
});

test.each([
  ['the same page', 40],
  ['another page', 0],
])('is its own again where another anime has it, on %s', async (_, place) => {
  const { source, told, slugs, leads, store, crawlFor } = await openCorrected();
  const other = { ...source.anime[0]!, slug: 'judul-40', title: 'Lain', image: 'https://one.example/x.jpg' };
  source.anime.splice(place, 0, other);
  await crawlFor(8 * HOUR);
  expect(await told()).toEqual(['renamed judul-baru', 'added judul-40']);
  expect(await slugs()).toEqual(expect.arrayContaining(['judul-40', 'judul-baru']));
  expect((await store.readSnapshot())!.ongoing.find(({ slug }) => slug === 'judul-baru')?.title).toBe(
    'Judul 40',
  );
  expect(await leads()).toEqual({});
});

test('is the slug of its anime again where the source takes the correction back', async () => {
  const { source, told, slugs, leads, clock, crawlFor } = await openCorrected();
  const former = source.anime[39]!;
  former.slug = 'judul-40';
  source.alterOngoing = (page) => ({ ...page, builtAt: clock.now });
  source.alterSchedule = (page) => ({ ...page, builtAt: clock.now });
  await crawlFor(2 * HOUR);
  expect(await told()).toEqual(['renamed judul-baru', 'renamed judul-40']);
  expect(await slugs()).not.toContain('judul-baru');
  expect(await leads()).toEqual({ 'judul-baru': 'judul-40' });
});

test('is that also after a week on pages without a time of their own', async () => {
  const { source, told, crawlFor } = await openCorrected();
  source.anime[39]!.slug = 'judul-40';
  await crawlFor(8 * DAY);
  expect(await told()).toEqual(['renamed judul-baru', 'renamed judul-40']);
});
