import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { UnreadableCard } from '../../src/source/source.ts';
import { openMemoryStore } from '../../src/store/drivers/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { airEpisode } from '../support/fake-source.ts';
import { HOUR, openTestRefresh, PEEK_MS } from '../support/refresh.ts';
import { statusOf } from '../support/status.ts';

const unreadable = (card: number, slug?: string): UnreadableCard => ({
  card,
  ...(slug && { slug }),
  faults: [{ field: 'episode', found: 'Tamat' }],
});

describe('a refresh', () => {
  test('reads the schedule, every page, and page 1 again', async () => {
    const { source, refresh, slugs } = await openTestRefresh();
    const summary = await refresh();
    expect(source.reads).toEqual(['schedule', '1', '2', '3', '1']);
    expect(summary).toMatchObject({ anime: 60, groups: 8, scheduled: 60, pages: 5 });
    expect(await slugs()).toEqual(source.anime.map(({ slug }) => slug));
  });

  test('without changes writes no snapshot and notes the crawl', async () => {
    const { clock, refresh, store } = await openTestRefresh();
    await refresh();
    const before = await store.readSnapshot();
    clock.now += HOUR;
    const { changes } = await refresh();
    expect(changes).toEqual([]);
    expect(await store.readSnapshot()).toEqual(before);
    expect(await statusOf(store)).toMatchObject({
      state: 'ok',
      refreshedAt: clock.now,
      dueAt: clock.now + HOUR,
      peekDueAt: clock.now + PEEK_MS,
    });
  });

  test('returns the changes, and dates only the part that has changed', async () => {
    const { clock, source, refresh, store } = await openTestRefresh();
    await refresh();
    const before = await store.readSnapshot();
    clock.now += HOUR;
    airEpisode(source, 30);
    const { changes } = await refresh();
    expect(changes).toEqual([expect.objectContaining({ type: 'new-episode', slug: 'judul-31' })]);
    expect(await store.readSnapshot()).toMatchObject({
      scheduleChangedAt: before?.scheduleChangedAt,
      ongoingChangedAt: clock.now,
    });
  });

  test('keeps the last good record of an unreadable card in its place', async () => {
    const { events, source, refresh, store } = await openTestRefresh();
    await refresh();
    const before = await store.readSnapshot();
    source.alterOngoing = (page) =>
      page.number === 2 ? { ...page, cards: page.cards.with(4, unreadable(5, 'judul-30')) } : page;
    await refresh();
    expect((await store.readSnapshot())?.ongoing).toEqual(before?.ongoing);
    expect(events).toContainEqual({
      type: 'card-omitted',
      page: 'ongoing page 2',
      card: 5,
      field: 'episode',
      found: 'Tamat',
      kept: true,
    });
  });

  test('keeps an unreadable entry of the schedule on its last day', async () => {
    const { source, refresh, store } = await openTestRefresh();
    await refresh();
    const before = await store.readSnapshot();
    source.alterSchedule = ({ groups, linked }) => ({
      linked,
      groups: groups.map((group) =>
        group.day === 'Rabu'
          ? { day: null, cards: group.cards.map(({ slug }, index) => unreadable(index + 1, slug)) }
          : group,
      ),
    });
    await refresh(true);
    expect((await store.readSnapshot())?.schedule).toEqual(before?.schedule);
  });
});

test('the source is asked once and no more while the status can be written, and the listing cannot', async () => {
  const memory = await openMemoryStore();
  let maxBytes = Infinity;
  const ensureFits = (bytes: number) => {
    if (bytes > maxBytes) throw new Error('file too large');
  };
  const lease: Store['lease'] = async (name) => {
    const taken = await memory.lease(name);
    const write = async (values: object) => {
      ensureFits(JSON.stringify(values).length);
      return taken?.write({ ...values });
    };
    return taken && { ...taken, write };
  };
  const probe = async (bytes: number) => ensureFits(bytes);
  const { source, refresh, peek, clock } = await openTestRefresh(60, { ...memory, lease, probe });
  await refresh();
  maxBytes = 5_000;
  source.anime.unshift({ ...source.anime[0]!, slug: 'baru', title: 'Baru' });
  clock.now += HOUR;
  await expect(refresh()).rejects.toThrow('too large');
  source.reads.length = 0;
  for (const attempt of [refresh, peek, refresh]) await expect(attempt()).rejects.toThrow('too large');
  expect(source.reads).toEqual([]);
  maxBytes = Infinity;
  await refresh();
  expect(source.reads).not.toEqual([]);
});

describe('the status of a refresh', () => {
  test('stores since when the source has been in trouble of any kind', async () => {
    const { clock, source, refresh, store } = await openTestRefresh();
    await refresh();
    const troubleSince = async () => (await statusOf(store)).troubleSince;
    expect(await troubleSince()).toBeNull();
    const beganAt = clock.now + HOUR;
    for (const code of ['source-blocked', 'source-down', 'source-moved'] as const) {
      clock.now += HOUR;
      source.onRead = () => {
        throw new AppError(code, 'trouble');
      };
      await expect(refresh()).rejects.toThrow('trouble');
      expect(await troubleSince()).toBe(beganAt);
    }
    source.onRead = () => {};
    await refresh();
    expect(await troubleSince()).toBeNull();
  });

  test('counts cards that are left out, and cards whose last good record is kept', async () => {
    const { source, refresh, store } = await openTestRefresh();
    const counts = async () => {
      const { omitted, keptFromBefore } = await statusOf(store);
      return { omitted, keptFromBefore };
    };
    await refresh();
    expect(await counts()).toEqual({ omitted: 0, keptFromBefore: 0 });
    source.alterOngoing = (page) => {
      const faulty = [unreadable(1), unreadable(2, 'judul-baru'), unreadable(3, page.cards[2]?.slug)];
      return page.number === 2 ? page : { ...page, cards: [...faulty, ...page.cards.slice(3)] };
    };
    source.alterSchedule = ({ groups, linked }) => ({
      linked,
      groups: [
        ...groups.map(({ day, cards }) => ({ day, cards: cards.with(0, unreadable(1, cards[0]?.slug)) })),
        { day: null, cards: [unreadable(1), unreadable(2, 'judul-baru')] },
      ],
    });
    await refresh(true);
    expect(await counts()).toEqual({ omitted: 3 + 2, keptFromBefore: 2 + 8 });
    source.onRead = () => {
      throw new AppError('source-down', 'gone');
    };
    await expect(refresh()).rejects.toThrow('gone');
    expect(await counts(), 'a failed crawl does not change them').toEqual({ omitted: 5, keptFromBefore: 10 });
  });

  test('does not count a card that is readable on another page of the same crawl', async () => {
    const { source, refresh, store } = await openTestRefresh();
    source.alterOngoing = (page) =>
      page.number === 2 ? { ...page, cards: page.cards.with(0, unreadable(1, 'judul-1')) } : page;
    await refresh();
    expect(await statusOf(store)).toMatchObject({ omitted: 0, keptFromBefore: 0 });
  });
});

describe('an anime that moves to another page during the crawl', () => {
  test.each([1, 2, 3])(
    'is neither repeated nor lost when an episode appears before page %i is read',
    async (page) => {
      const { source, refresh, slugs } = await openTestRefresh(70);
      source.onRead = (what) => {
        if (what === String(page) && source.reads.length > 1) {
          source.onRead = () => {};
          airEpisode(source, 60);
        }
      };
      await refresh();
      expect(await slugs()).toEqual(source.anime.map(({ slug }) => slug));
    },
  );

  test.each([0, 30])('is not lost when the anime at %i leaves after its page was read', async (index) => {
    const { clock, source, refresh, slugs } = await openTestRefresh(70);
    await refresh();
    source.reads.length = 0;
    source.onRead = (what) => {
      if (what !== '3') return;
      source.onRead = () => {};
      source.anime.splice(index, 1);
    };
    await refresh();
    // The schedule of that crawl was read before.
    for (let crawl = 0; crawl < 2; crawl += 1) {
      expect(await slugs()).toHaveLength(70);
      clock.now += HOUR;
      await refresh();
    }
    expect(await slugs()).toEqual(source.anime.map(({ slug }) => slug));
  });

  test('is read three times at most while anime leave all the time', async () => {
    const { source, refresh } = await openTestRefresh(70);
    source.onRead = (what) => {
      if (what === '2') source.anime.splice(0, 1);
    };
    await refresh();
    expect(source.reads.filter((what) => what === '3')).toHaveLength(3);
  });
});

describe('a source in trouble', () => {
  async function openTroubled() {
    const opened = await openTestRefresh();
    const { source, refresh, store, clock } = opened;
    /** The backoff, ms, after each of so many failed crawls. */
    async function failTimes(times: number): Promise<number[]> {
      const waits: number[] = [];
      source.onRead = () => {
        throw new AppError('source-down', 'refused');
      };
      for (let failure = 0; failure < times; failure += 1) {
        await expect(refresh()).rejects.toThrow();
        waits.push(((await statusOf(store)).retryAt ?? clock.now) - clock.now);
      }
      return waits;
    }
    return { ...opened, failTimes };
  }

  test('is read at the next fire time, then with a growing backoff, which a good crawl resets', async () => {
    const { source, refresh, store, failTimes } = await openTroubled();
    await refresh();
    const waits = await failTimes(9);
    expect(waits.map((ms) => ms / PEEK_MS)).toEqual([0, 1, 3, 7, 15, 31, 63, 120, 120]);
    source.onRead = () => {};
    await refresh();
    expect(await statusOf(store)).toMatchObject({ state: 'ok', failures: 0, retryAt: null, reason: null });
  });

  test('is read after 30 s, 1, 2, 4, and then every 5 minutes while there is no snapshot', async () => {
    const { refresh, source, failTimes } = await openTroubled();
    const waits = await failTimes(7);
    expect(waits.map((ms) => ms / 60_000)).toEqual([0.5, 1, 2, 4, 5, 5, 5]);
    source.onRead = () => {};
    await refresh();
    expect(await failTimes(2)).toEqual([0, PEEK_MS]);
  });

  test('is not read for as long as its Retry-After says, up to six hours', async () => {
    const { clock, source, refresh, store } = await openTestRefresh();
    source.onRead = () => {
      throw new AppError('source-blocked', '429', { retryAfterMs: 2 * HOUR });
    };
    await expect(refresh()).rejects.toThrow();
    expect((await statusOf(store)).retryAt).toBe(clock.now + 2 * HOUR);
    source.onRead = () => {
      throw new AppError('source-blocked', '429', { retryAfterMs: 1_000 * HOUR });
    };
    await expect(refresh()).rejects.toThrow();
    expect((await statusOf(store)).retryAt).toBe(clock.now + 6 * HOUR);
  });
});

describe('an anime that is missing from one of the two pages', () => {
  const missing = ({ events }: Awaited<ReturnType<typeof openTestRefresh>>) =>
    events.filter(({ type }) => type === 'anime-missing');

  test('is reported once, for the schedule and for the ongoing list', async () => {
    const scene = await openTestRefresh();
    await scene.refresh();
    expect(missing(scene)).toEqual([]);
    const [anime] = scene.source.anime;
    const without = <Anime extends { slug?: string }>(cards: Anime[]) =>
      cards.filter((card) => card.slug !== anime?.slug);
    scene.source.alterSchedule = (page) => ({
      ...page,
      groups: page.groups.map((group) => ({ ...group, cards: without(group.cards) })),
    });
    for (let crawl = 0; crawl < 4; crawl += 1) {
      await scene.refresh();
      scene.clock.now += HOUR;
    }
    expect(missing(scene)).toEqual([{ type: 'anime-missing', from: 'the schedule', slugs: [anime?.slug] }]);
  });

  test('is not reported for the schedule when it has no day', async () => {
    const scene = await openTestRefresh();
    scene.source.anime[0]!.day = 'None';
    await scene.refresh();
    expect(missing(scene)).toEqual([]);
  });

  test('is reported when a page links to it outside of its cards', async () => {
    const scene = await openTestRefresh();
    scene.source.alterOngoing = (page) => ({ ...page, linked: ['judul-1', 'jatuh-dari-kartu'] });
    scene.source.alterSchedule = (page) => ({ ...page, linked: ['judul-1', 'jatuh-dari-jadwal'] });
    await scene.refresh();
    expect(missing(scene)).toEqual([
      { type: 'anime-missing', from: 'the ongoing list', slugs: ['jatuh-dari-kartu'] },
      { type: 'anime-missing', from: 'the schedule', slugs: ['jatuh-dari-jadwal'] },
    ]);
  });
});
