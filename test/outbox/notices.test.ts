import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { NoticeContent } from '../../src/domain/notice.ts';
import { openNoticeLog } from '../../src/outbox/notices.ts';
import { temporaryFolder } from '../support/service.ts';
import { openEventStore } from '../support/webhook-store.ts';
import { NOON } from '../support/webhooks.ts';
import { writeValues } from '../support/write-store.ts';

const DAY = 86_400_000;
const down: NoticeContent = { type: 'source.down', data: { state: 'down', since: null, reason: 'why' } };

const report = (id: string): NoticeContent => ({
  type: 'upload.reported',
  data: { id, reason: 'spam', note: '', link: `https://files.example/${id}` },
});

const sqliteUrl = async () => `sqlite:${path.join(await temporaryFolder(onTestFinished), 'cache.sqlite')}`;

async function openStores(url: string, count: number) {
  const stores = await Promise.all(Array.from({ length: count }, () => openEventStore(url)));
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  return stores;
}

test('no notice is lost when several processes append at once', async () => {
  const url = await sqliteUrl();
  const logs = (await openStores(url, 4)).map(openNoticeLog);
  const appends = Array.from({ length: 20 }, (_, index) => logs[index % logs.length]!.append(down, NOON));
  await Promise.all(appends);
  const [fresh = expect.fail()] = await openStores(url, 1);
  const notices = await openNoticeLog(fresh).sync();
  expect(notices).toHaveLength(20);
  const times = notices.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test('notices are kept for thirty days', async () => {
  const [store = expect.fail()] = await openStores(await sqliteUrl(), 1);
  const log = openNoticeLog(store);
  await log.append(report('a'), NOON);
  await log.append(down, NOON + 2 * DAY);
  await log.append(report('b'), NOON + 31 * DAY);
  expect((await log.sync()).map(({ type }) => type)).toEqual(['source.down', 'upload.reported']);
});

test('an emptied store gets the notices back from a process that knew them', async () => {
  const [store = expect.fail(), other = expect.fail()] = await openStores(await sqliteUrl(), 2);
  const log = openNoticeLog(store);
  await log.append(report('a'), NOON);
  const { notices } = (await other.values.get<{ notices: object[] }>('notices:log')) ?? {};
  await writeValues(other, { 'notices:log': { notices: [] } });
  await log.sync();
  expect(await other.values.get('notices:log')).toEqual({ notices });
});
