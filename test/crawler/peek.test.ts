import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { AnimeEvent } from '../../src/domain/event.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { airEpisode, makeAnime } from '../support/fake-source.ts';
import { HOUR, openTestRefresh, PEEK_MS } from '../support/refresh.ts';

const WHOLE_CRAWL = ['schedule', '1', '2', '3', '1'];

async function openCrawled(count = 60) {
  const scene = await openTestRefresh(count);
  await scene.refresh();
  scene.source.reads.length = 0;
  scene.clock.now += PEEK_MS;
  return scene;
}

describe('a peek', () => {
  test('reads only page 1, and writes no snapshot when it is unchanged', async () => {
    const { source, store, clock, peek } = await openCrawled();
    const before = await store.readSnapshot();
    expect(await peek()).toMatchObject({ pages: 1, anime: 60, changes: [] });
    expect(source.reads).toEqual(['1']);
    expect(await store.readSnapshot()).toEqual(before);
    expect(await store.readStatus()).toMatchObject({
      state: 'ok',
      attemptedAt: clock.now,
      peekDueAt: clock.now + PEEK_MS,
      crawledAt: clock.now - PEEK_MS,
      refreshedAt: clock.now - PEEK_MS,
      dueAt: clock.now - PEEK_MS + HOUR,
    });
  });

  test('writes a snapshot and events for a new episode and a new anime', async () => {
    const { source, store, clock, peek, slugs } = await openCrawled();
    const before = await store.readSnapshot();
    airEpisode(source, 40);
    source.anime.unshift(makeAnime(99));
    expect((await peek()).changes.map(({ type, slug }) => [type, slug])).toEqual([
      ['added', 'judul-99'],
      ['new-episode', 'judul-41'],
    ]);
    expect(source.reads).toEqual(['1']);
    expect(await slugs()).toEqual(source.anime.map(({ slug }) => slug));
    const after = (await store.readSnapshot())!;
    expect(after).toMatchObject({
      scheduleChangedAt: before?.scheduleChangedAt,
      ongoingChangedAt: clock.now,
      lastEvent: 2,
    });
    expect(await store.readEvents(2)).toHaveLength(2);
    expect(await store.readStatus()).toMatchObject({ changedAt: clock.now });
  });

  test.each(['is gone from page 1', 'has changed in its place'])(
    'is followed by a crawl at once when an anime %s',
    async (what) => {
      const { clock, source, peek, refresh, slugs } = await openCrawled();
      if (what.startsWith('is gone')) source.anime.splice(4, 1);
      else source.anime[4] = { ...source.anime[4]!, title: 'Judul 5 (TV)' };
      await peek();
      expect(source.reads.slice(0, 2)).toEqual(['1', 'schedule']);
      clock.now += HOUR;
      await refresh();
      expect(await slugs()).toEqual(source.anime.map(({ slug }) => slug));
    },
  );

  test('is followed by a crawl when too many cards of page 1 are unreadable', async () => {
    const { source, store, peek } = await openCrawled();
    source.alterOngoing = (page) => ({
      ...page,
      cards: page.cards.map((_, index) => ({ card: index + 1, faults: [{ field: 'title', found: '' }] })),
    });
    await expect(peek()).rejects.toThrow(/cannot be read/u);
    expect(source.reads.slice(0, 2)).toEqual(['1', 'schedule']);
    expect(await store.readStatus()).toMatchObject({ state: 'changed' });
  });

  test('refuses page 1 when it contradicts the last good list', async () => {
    const { source, store, peek } = await openCrawled();
    const before = await store.readSnapshot();
    source.alterOngoing = (page) => ({
      ...page,
      cards: (page.cards as OngoingAnime[]).map((card, index, all) => ({
        ...card,
        title: all[(index + 1) % all.length]!.title,
      })),
    });
    await expect(peek()).rejects.toThrow();
    expect((await store.readSnapshot())?.ongoing).toEqual(before?.ongoing);
    expect(await store.readStatus()).toMatchObject({ state: 'changed' });
  });

  test('that fails sets the state and the backoff like a crawl, and the next good one resets both', async () => {
    const { source, store, clock, peek } = await openCrawled();
    source.onRead = () => {
      throw new AppError('source-blocked', '403', { retryAfterMs: 60_000 });
    };
    await expect(peek()).rejects.toThrow('403');
    expect(source.reads).toEqual(['1']);
    const dueAt = clock.now - PEEK_MS + HOUR;
    expect(await store.readStatus()).toMatchObject({
      state: 'blocked',
      failures: 1,
      retryAt: clock.now + 60_000,
      attemptedAt: clock.now,
      dueAt,
      peekDueAt: clock.now,
    });
    source.onRead = () => {};
    await peek();
    expect(await store.readStatus()).toMatchObject({ state: 'ok', failures: 0, retryAt: null, reason: null });
  });

  test('becomes one crawl after a crawl that was refused, and then goes on', async () => {
    const { source, store, refresh, peek, slugs } = await openCrawled();
    source.alterSchedule = () => ({ groups: [], linked: [] });
    await expect(refresh()).rejects.toThrow(/schedule is empty/u);
    source.reads.length = 0;
    await expect(peek()).rejects.toThrow(/schedule is empty/u);
    expect(await store.readStatus()).toMatchObject({ state: 'changed', failures: 2 });
    airEpisode(source, 40);
    await peek();
    expect(source.reads).toEqual(['schedule', '1']);
    expect(await slugs()).toEqual(source.anime.map(({ slug }) => slug));
    expect(await store.readStatus(), 'the schedule is still bad').toMatchObject({ state: 'changed' });
    source.alterSchedule = (page) => page;
    await refresh();
    expect(await store.readStatus()).toMatchObject({ state: 'ok' });
  });

  test('becomes a crawl after one that could not reach the source', async () => {
    const { source, store, refresh, peek } = await openCrawled();
    source.onRead = () => {
      throw new AppError('source-down', 'refused');
    };
    await expect(refresh()).rejects.toThrow('refused');
    source.onRead = () => {};
    source.reads.length = 0;
    await peek();
    expect(source.reads).toEqual(WHOLE_CRAWL);
    expect(await store.readStatus()).toMatchObject({ state: 'ok' });
  });

  test('becomes a crawl when there is no snapshot', async () => {
    const { source, peek } = await openTestRefresh();
    await peek();
    expect(source.reads).toEqual(WHOLE_CRAWL);
  });

  test('does not count towards what has to last', async () => {
    const { source, store, clock, refresh, peek } = await openCrawled();
    source.anime[3] = { ...source.anime[3]!, episode: 90 };
    await refresh();
    for (let hour = 0; hour < 8; hour += 1) {
      clock.now += HOUR;
      source.anime.push(source.anime.pop()!);
      await peek();
    }
    expect((await store.readSnapshot())?.ongoing[3]?.episode).not.toBe(90);
    expect(Object.values((await store.readBelief()).claims)).toMatchObject([{ readings: 1 }]);
  });

  test('causes at most eight crawls a day when page 1 never fits the last good list', async () => {
    const { source, store, clock, refresh, peek, slugs } = await openCrawled();
    for (let minute = 0; minute < 19; minute += 1) {
      source.anime = [source.anime[1]!, source.anime[0]!, ...source.anime.slice(2)];
      clock.now += PEEK_MS;
      await peek();
    }
    expect(source.reads.filter((what) => what === 'schedule')).toHaveLength(8);
    const { state, attemptedAt, peekDueAt } = await store.readStatus();
    expect({ state, attemptedAt }).toEqual({ state: 'ok', attemptedAt: clock.now });
    expect(peekDueAt, 'the list is due until the next crawl').toBeLessThanOrEqual(clock.now);
    await refresh();
    expect(await slugs()).toEqual(source.anime.map(({ slug }) => slug));
  });

  test('does not replace a crawl of another process that waits for the lease', async () => {
    const { source, store, refresh, peek } = await openCrawled();
    const { crawledAt } = await store.readStatus();
    let crawling: Promise<unknown> | undefined;
    source.onRead = () => {
      crawling ??= refresh(false, { knownAttempt: crawledAt });
    };
    await peek();
    await crawling;
    expect(source.reads).toEqual(['1', ...WHOLE_CRAWL]);
  });
});

type State = Map<string, { episode: number; day: string }>;
const stateOf = (ongoing: readonly OngoingAnime[]): State =>
  new Map(ongoing.map(({ slug, episode, day }) => [slug, { episode, day }]));

/** Applies the events to a state. Throws when an event is missing or repeated. */
function applyEvents(before: State, events: readonly AnimeEvent[]): State {
  const state = new Map(before);
  for (const event of events) {
    const known = state.get(event.slug);
    if (event.type === 'added') expect(known, `${event.slug} is added once`).toBeUndefined();
    else expect(known, `${event.slug} is known`).toBeDefined();
    if (event.type === 'left') state.delete(event.slug);
    else if (event.type === 'added') state.set(event.slug, { episode: event.episode, day: event.day });
    else if (event.type === 'moved') state.set(event.slug, { ...known!, day: event.to });
    else {
      expect(event.episode).toBeGreaterThan(known!.episode);
      state.set(event.slug, { ...known!, episode: event.episode });
    }
  }
  return state;
}

describe('any sequence of changes, peeks and crawls', () => {
  const change = fc.oneof(
    { weight: 5, arbitrary: fc.record({ type: fc.constant('air' as const), at: fc.nat(100) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('add' as const), at: fc.nat(100) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('leave' as const), at: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('retitle' as const), at: fc.nat(100) }) },
    { weight: 6, arbitrary: fc.record({ type: fc.constant('peek' as const), at: fc.constant(0) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('crawl' as const), at: fc.constant(0) }) },
  );

  test('ends with the snapshot that crawls alone would write, and each event occurs once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 40 }), async (changes) => {
        const scene = await openTestRefresh(60);
        const crawls = await openTestRefresh(60);
        crawls.source.anime = scene.source.anime = scene.source.anime.slice();
        await Promise.all([scene.refresh(), crawls.refresh()]);
        const first = (await scene.store.readSnapshot())!;
        for (const [index, { type, at }] of changes.entries()) {
          scene.clock.now += HOUR;
          crawls.clock.now += HOUR;
          const { anime } = scene.source;
          const place = at % anime.length;
          if (type === 'air') airEpisode(scene.source, place);
          if (type === 'add') anime.unshift(makeAnime(100 + index));
          if (type === 'leave' && anime.length > 40) anime.splice(place, 1);
          if (type === 'retitle') anime[place] = { ...anime[place]!, title: `${anime[place]!.title}!` };
          const ignore = () => {};
          if (type === 'peek') await scene.peek().catch(ignore);
          if (type === 'crawl')
            await Promise.all([scene.refresh().catch(ignore), crawls.refresh().catch(ignore)]);
        }
        for (let crawl = 0; crawl < 8; crawl += 1) {
          scene.clock.now += HOUR;
          crawls.clock.now += HOUR;
          await Promise.all([scene.refresh(), crawls.refresh()].map((one) => one.catch(() => {})));
        }
        const last = (await scene.store.readSnapshot())!;
        const expected = (await crawls.store.readSnapshot())!;
        expect({ ongoing: last.ongoing, schedule: last.schedule }).toEqual({
          ongoing: expected.ongoing,
          schedule: expected.schedule,
        });
        const events = await scene.store.readEvents(last.lastEvent);
        expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1));
        expect(applyEvents(stateOf(first.ongoing), events)).toEqual(stateOf(last.ongoing));
      }),
      { numRuns: 60 },
    );
  });
});
