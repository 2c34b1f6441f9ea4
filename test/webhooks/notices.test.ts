import path from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { NoticeContent } from '../../src/domain/notice.ts';
import { appendNotice, readNotices, sourceNotice } from '../../src/webhooks/notices.ts';
import { describeWithRedis, openTestRedis, type TestRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/service.ts';
import { untilEnd } from '../support/until-end.ts';
import { openEventStore } from '../support/webhook-store.ts';
import { NOON } from '../support/webhooks.ts';

const DAY = 86_400_000;
const down: NoticeContent = { type: 'source.down', data: { state: 'down', since: null, reason: 'why' } };

async function openStores(url: string, count: number) {
  const stores = await Promise.all(Array.from({ length: count }, () => openEventStore(url)));
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  return stores;
}

async function expectNoneLost(url: string): Promise<void> {
  const stores = await openStores(url, 4);
  const appends = Array.from({ length: 20 }, (_, index) =>
    appendNotice(stores[index % stores.length]!, () => down, NOON + index),
  );
  await Promise.all(appends);
  const { last, notices } = await readNotices(stores[0]!);
  expect(last).toBe(20);
  expect(notices.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(notices.map(({ at }) => at - NOON).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, index) => index),
  );
}

async function expectAppendedOnce(url: string): Promise<void> {
  const stores = await openStores(url, 4);
  const status = { state: 'down' as const, since: NOON, troubleSince: NOON, reason: 'why' };
  const now = NOON + 2 * 3_600_000;
  await Promise.all(stores.map((store) => appendNotice(store, (log) => sourceNotice(status, log, now), now)));
  expect((await readNotices(stores[0]!)).notices.map(({ type }) => type)).toEqual(['source.down']);
}

const sqliteUrl = async () => `sqlite:${path.join(await temporaryFolder(onTestFinished), 'cache.sqlite')}`;

test('no notice is lost when several processes append at once', async () => {
  await expectNoneLost(await sqliteUrl());
});

test('trouble that several processes notice is appended once', async () => {
  await expectAppendedOnce(await sqliteUrl());
});

test('notices are kept for thirty days, and the state of the source for longer', async () => {
  const [store = expect.fail()] = await openStores(await sqliteUrl(), 1);
  await appendNotice(store, () => down, NOON);
  await appendNotice(
    store,
    (log) => ({ ...down, type: log.isSourceDown ? 'source.ok' : 'source.down' }),
    NOON + 31 * DAY,
  );
  const { notices, isSourceDown } = await readNotices(store);
  expect(notices.map(({ number, type }) => [number, type])).toEqual([[2, 'source.ok']]);
  expect(isSourceDown).toBe(false);
});

describeWithRedis('with Redis', () => {
  const defer = untilEnd();
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await openTestRedis(defer);
  });

  test('no notice is lost when several processes append at once', async () => {
    await expectNoneLost(redis.url());
  });

  test('trouble that several processes notice is appended once', async () => {
    await expectAppendedOnce(redis.url());
  });
});
