import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { UnreadableCard } from '../../src/source/source.ts';
import { type FakeSource, makeAnime } from '../support/fake-source.ts';
import { openTestRefresh } from '../support/refresh.ts';
import { statusOf } from '../support/status.ts';
import REFUSED_LISTS from './refused-lists.json' with { type: 'json' };

const unreadable = (card: number, slug?: string): UnreadableCard => ({
  card,
  ...(slug && { slug }),
  faults: [{ field: 'episode', found: 'Tamat' }],
});

describe('the guard', () => {
  async function checkRefusal(reason: RegExp, force: string, breakIt: (source: FakeSource) => void) {
    const { source, refresh, store } = await openTestRefresh();
    await refresh();
    const before = await store.readSnapshot();
    breakIt(source);
    await expect(refresh()).rejects.toThrow(reason);
    expect(await store.readSnapshot()).toEqual(before);
    const status = await statusOf(store);
    expect(status).toMatchObject({ state: 'changed', reason: expect.stringMatching(reason) });
    const forced = refresh(true);
    if (force === 'refused') await expect(forced).rejects.toThrow(reason);
    else await forced;
  }

  test.each(REFUSED_LISTS)(
    'refuses $name, keeps the last good snapshot, and by force it is $force',
    async ({ page, show, reason, force }) => {
      const { cards: count, unreadableEvery, ...more } = show;
      const isOut = (index: number) => unreadableEvery !== undefined && index % unreadableEvery === 0;
      await checkRefusal(new RegExp(reason, 'u'), force, (source) => {
        source.alterOngoing = (shown) => {
          const kept = shown.cards.slice(0, count);
          const cards = kept.map((card, index) => (isOut(index) ? unreadable(index + 1, card.slug) : card));
          return page === undefined || page === shown.number ? { ...shown, ...more, cards } : shown;
        };
      });
    },
  );

  test('refuses an empty schedule, also by force', async () => {
    await checkRefusal(/schedule is empty/u, 'refused', (source) => {
      source.alterSchedule = () => ({ groups: [], linked: [] });
    });
  });

  test('refuses a list with a missing page, also by force', async () => {
    await checkRefusal(/page 3 .* missing although the pager goes to 3/u, 'refused', (source) => {
      source.onRead = (what) => {
        if (what === '3') throw new AppError('source-moved', 'answered 404');
      };
    });
  });

  test('refuses a list with fewer than half of the entries, but not by force', async () => {
    await checkRefusal(/31 of 60 anime are gone/u, 'accepted', (source) => source.anime.splice(29));
  });

  test('refuses a full page without a pager when the schedule has more anime', async () => {
    const { source, refresh } = await openTestRefresh();
    source.alterOngoing = (page) => ({ ...page, lastNumber: page.number });
    await expect(refresh()).rejects.toThrow(/25 cards and no pager although the schedule has 60 anime/u);
    await expect(refresh(true)).resolves.toMatchObject({ anime: 25 });
  });

  test('accepts a tenth of unreadable cards', async () => {
    const { source, refresh } = await openTestRefresh(50);
    source.alterOngoing = (page) =>
      page.number === 1
        ? page
        : { ...page, cards: page.cards.map((card, index) => (index < 5 ? unreadable(index + 1) : card)) };
    expect(await refresh()).toMatchObject({ anime: 45 });
  });
});

describe('an endless list', () => {
  test('is refused when its pager moves on with every page', async () => {
    const { source, refresh } = await openTestRefresh();
    source.alterOngoing = (page) => ({
      ...page,
      lastNumber: page.number + 1,
      cards: Array.from({ length: 25 }, (_, index) => makeAnime(page.number * 25 + index)),
    });
    await expect(refresh()).rejects.toThrow(/page 1 says that the list ends at 2, page 4 says at 5/u);
    expect(source.reads.length).toBeLessThan(10);
  });

  test('is refused when a page repeats entries of the pages before it', async () => {
    const { source, refresh } = await openTestRefresh();
    const cards = source.anime.slice(0, 25);
    source.alterOngoing = (page) => ({ ...page, lastNumber: 90, cards });
    await expect(refresh()).rejects.toThrow(/page 2 of the ongoing list has no anime that .* before it/u);
    expect(source.reads.length).toBeLessThan(10);
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

describe('an address on two cards with different titles', () => {
  test('is reported for the ongoing list and for the schedule', async () => {
    const scene = await openTestRefresh();
    const twin = { ...makeAnime(3), title: 'Judul 3 (TV)' };
    scene.source.alterOngoing = (page) =>
      page.number === 2 ? { ...page, cards: page.cards.with(4, twin) } : page;
    scene.source.alterSchedule = (page) => ({
      ...page,
      groups: page.groups.map((group) =>
        group.day === twin.day
          ? { ...group, cards: [...group.cards, { title: twin.title, slug: twin.slug }] }
          : group,
      ),
    });
    await scene.refresh();
    const told = { field: 'slug', found: expect.stringContaining(twin.title), kept: false };
    expect(scene.events).toContainEqual(
      expect.objectContaining({ type: 'card-omitted', page: 'ongoing page 2', ...told }),
    );
    expect(scene.events).toContainEqual(
      expect.objectContaining({ type: 'card-omitted', page: 'schedule', ...told }),
    );
    const snapshot = await scene.store.readSnapshot();
    expect(snapshot?.ongoing.find(({ slug }) => slug === twin.slug)?.title).toBe('Judul 3');
  });
});
