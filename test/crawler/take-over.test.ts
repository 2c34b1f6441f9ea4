import { expect, test } from 'vitest';
import { openTestRefresh } from '../support/refresh.ts';

test('what another process has read since the caller last looked is taken over, not read again', async () => {
  const { source, refresh, store } = await openTestRefresh();
  await refresh();
  const reads = source.reads.length;
  expect(await refresh(false, { knownAttempt: null })).toMatchObject({ pages: 0, anime: 60 });
  expect(source.reads).toHaveLength(reads);
  const { crawledAt } = await store.readStatus();
  await refresh(false, { knownAttempt: crawledAt });
  expect(source.reads.length).toBeGreaterThan(reads);
});

test('it is read again when that is asked for by force', async () => {
  const { source, refresh } = await openTestRefresh();
  await refresh();
  const reads = source.reads.length;
  await refresh(true, { knownAttempt: null });
  expect(source.reads.length).toBeGreaterThan(reads);
});

test('a store that has lost what the caller knows of is filled', async () => {
  const { source, refresh, slugs } = await openTestRefresh();
  await refresh(false, { knownAttempt: Date.parse('2026-11-20T04:00:00Z') });
  expect(source.reads).not.toEqual([]);
  expect(await slugs()).toHaveLength(60);
});
