import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { airEpisode } from '../support/fake-source.ts';
import { HOUR, openTestRefresh, PEEK_MS } from '../support/refresh.ts';
import { statusOf } from '../support/status.ts';

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
    expect(await statusOf(store)).toMatchObject({
      state: 'ok',
      attemptedAt: clock.now,
      readAt: clock.now,
      peekDueAt: clock.now + PEEK_MS,
      crawledAt: clock.now - PEEK_MS,
      refreshedAt: clock.now - PEEK_MS,
      dueAt: clock.now - PEEK_MS + HOUR,
    });
  });

  test('that fails sets the state and the backoff like a crawl, and the next good one resets both', async () => {
    const { source, store, clock, peek } = await openCrawled();
    source.onRead = () => {
      throw new AppError('source-blocked', '403', { retryAfterMs: 60_000 });
    };
    await expect(peek()).rejects.toThrow('403');
    expect(source.reads).toEqual(['1']);
    const dueAt = clock.now - PEEK_MS + HOUR;
    expect(await statusOf(store)).toMatchObject({
      state: 'blocked',
      failures: 1,
      retryAt: clock.now + 60_000,
      attemptedAt: clock.now,
      readAt: clock.now - PEEK_MS,
      dueAt,
      peekDueAt: clock.now,
    });
    source.onRead = () => {};
    await peek();
    expect(await statusOf(store)).toMatchObject({ state: 'ok', failures: 0, retryAt: null, reason: null });
  });

  test('becomes one crawl after a crawl that was refused, and then goes on', async () => {
    const { source, store, refresh, peek, slugs } = await openCrawled();
    source.alterSchedule = () => ({ groups: [], linked: [] });
    await expect(refresh()).rejects.toThrow(/schedule is empty/u);
    source.reads.length = 0;
    await expect(peek()).rejects.toThrow(/schedule is empty/u);
    expect(await statusOf(store)).toMatchObject({ state: 'changed', failures: 2 });
    airEpisode(source, 40);
    await peek();
    expect(source.reads).toEqual(['schedule', '1']);
    expect(await slugs()).toEqual(source.anime.map(({ slug }) => slug));
    expect(await statusOf(store), 'the schedule is still bad').toMatchObject({ state: 'changed' });
    source.alterSchedule = (page) => page;
    await refresh();
    expect(await statusOf(store)).toMatchObject({ state: 'ok' });
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
    expect(await statusOf(store)).toMatchObject({ state: 'ok' });
  });

  test('does not count towards what has to last', async () => {
    const { source, store, clock, refresh, peek } = await openCrawled();
    source.anime[3] = { ...source.anime[3]!, episode: 4, date: '19 Nov' };
    await refresh();
    for (let hour = 0; hour < 8; hour += 1) {
      clock.now += HOUR;
      source.anime.push(source.anime.pop()!);
      await peek();
    }
    expect((await store.readSnapshot())?.ongoing[3]?.episode).not.toBe(4);
    expect(Object.values((await statusOf(store)).belief.rivals)).toMatchObject([{ times: 1 }]);
  });

  test('causes at most eight crawls a day when page 1 never fits the last good list', async () => {
    const { source, store, clock, refresh, peek, slugs } = await openCrawled();
    for (let minute = 0; minute < 19; minute += 1) {
      source.anime = [source.anime[1]!, source.anime[0]!, ...source.anime.slice(2)];
      clock.now += PEEK_MS;
      await peek();
    }
    expect(source.reads.filter((what) => what === 'schedule')).toHaveLength(8);
    const { state, attemptedAt, peekDueAt } = await statusOf(store);
    expect({ state, attemptedAt }).toEqual({ state: 'ok', attemptedAt: clock.now });
    expect(peekDueAt, 'the list is due until the next crawl').toBeLessThanOrEqual(clock.now);
    await refresh();
    expect(await slugs()).toEqual(source.anime.map(({ slug }) => slug));
  });

  test('does not replace a crawl of another process that waits for the lease', async () => {
    const { source, store, refresh, peek } = await openCrawled();
    const { crawledAt } = await statusOf(store);
    let crawling: Promise<unknown> | undefined;
    source.onRead = () => {
      crawling ??= refresh(false, { knownAttempt: crawledAt });
    };
    await peek();
    await crawling;
    expect(source.reads).toEqual(['1', ...WHOLE_CRAWL]);
  });
});
