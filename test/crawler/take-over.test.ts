import { expect, test } from 'vitest';
import { openTestRefresh } from '../support/refresh.ts';

test("a refresh takes over a crawl that another process made since the caller's last known attempt", async () => {
  const { source, refresh, store } = await openTestRefresh();
  await refresh();
  const reads = source.reads.length;
  expect(await refresh(false, { knownAttempt: null })).toMatchObject({ pages: 0, anime: 60 });
  expect(source.reads).toHaveLength(reads);
  const { crawledAt } = await store.readStatus();
  await refresh(false, { knownAttempt: crawledAt });
  expect(source.reads.length).toBeGreaterThan(reads);
});

test('a forced refresh always crawls', async () => {
  const { source, refresh } = await openTestRefresh();
  await refresh();
  const reads = source.reads.length;
  await refresh(true, { knownAttempt: null });
  expect(source.reads.length).toBeGreaterThan(reads);
});

test("a refresh crawls when the store has lost the caller's last known attempt", async () => {
  const { source, refresh, slugs } = await openTestRefresh();
  await refresh(false, { knownAttempt: Date.parse('2026-11-20T04:00:00Z') });
  expect(source.reads).not.toEqual([]);
  expect(await slugs()).toHaveLength(60);
});
