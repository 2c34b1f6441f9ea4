import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectRedis } from '../../../src/redis/connection.ts';
import type { QuotaOptions } from '../../../src/uploads/quota.ts';
import { openRedisQuota } from '../../../src/uploads/quotas/redis.ts';
import { createLedger } from '../../../src/uploads/quotas/redis-ledger.ts';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import { quotaContract } from '../../contracts/quota.ts';
import { ListedFiles, NO_FILES, quotaOptions, store } from '../../support/quota.ts';
import { describeWithRedis, openTestRedis, type TestRedis } from '../../support/redis.ts';
import { runScript } from '../../support/run-script.ts';
import { eventually, temporaryFolder } from '../../support/service.ts';
import { KB, MB, untilEnd } from '../../support/upload-client.ts';
import { newId, usageOf } from '../../support/uploads.ts';

const HOUR = 3_600_000;
const FULL = expect.objectContaining({ code: 'storage-full' });
const soon = () => Date.now() + HOUR;

describeWithRedis('on a Redis', () => {
  let server: TestRedis;
  const atEnd = untilEnd();

  beforeAll(async () => {
    server = await openTestRedis(atEnd);
  });

  async function open(more: Partial<QuotaOptions> = {}, url = server.url()) {
    const quota = await openRedisQuota(url, quotaOptions(more));
    onTestFinished(() => quota.close());
    return quota;
  }

  /** Lets a quota of its own count what is stored; resolves with a connection to the Redis that has the result. */
  async function count(url: string, storage = NO_FILES) {
    const redis = connectRedis(url, { replyTimeoutMs: 2_000 });
    onTestFinished(redis.close);
    const isConnected = () =>
      redis.whenReady(2_000).then(
        () => true,
        () => false,
      );
    await eventually(isConnected, Boolean);
    const counting = await openRedisQuota(url, quotaOptions({ storage }));
    await eventually(async () => redis.client().exists(`${redis.prefix}quota:counted`), Boolean);
    await counting.close();
    return redis;
  }

  /** A quota that counts in Redis from the first moment. */
  async function openCounted(more: Partial<QuotaOptions> = {}, url = server.url()) {
    const redis = await count(url, more.storage);
    return { quota: await open(more, url), redis };
  }

  quotaContract('the quota in Redis', async (more) => (await openCounted(more)).quota);

  test('processes share stored, reserved and released space', async () => {
    const url = server.url();
    const [{ quota: one }, { quota: other }] = [await openCounted({}, url), await openCounted({}, url)];
    const stored = await store(one, 'a', 40, soon());
    const reservation = await other.reserve('a', 60);
    expect(reservation.bytes()).toBe(20);
    await expect((async () => one.reserve('a', 1))()).rejects.toEqual(FULL);
    reservation.release();
    other.forget(stored);
    await eventually(
      async () => (await one.reserve('b', 60)).bytes() + (await other.reserve('c', 60)).bytes(),
      (bytes) => bytes === 100,
    );
  });

  test('leaves only the keys of the count and of the process in Redis when nothing is stored', async () => {
    const { quota, redis } = await openCounted();
    const file = await store(quota, 'a', 40, soon());
    (await quota.reserve('b', 10)).release();
    quota.forget(file);
    const keys = async () =>
      (await redis.client().keys(`${redis.prefix}quota:*`)).map((key) => key.split(':').pop());
    await eventually(keys, (names) => names.toSorted().join() === 'counted,processes');
  });

  test('the reservations of a dead process are released, and its name is refused from then on', async () => {
    const { redis } = await openCounted();
    const ledger = createLedger(redis, quotaOptions(), 50);
    await ledger.sendHeartbeat('dead');
    await ledger.take('dead', 'a', 60, 1);
    await sleep(60);
    await ledger.sendHeartbeat('living');
    expect(await ledger.take('living', 'a', 60, 60)).toBe(60);
    await expect(ledger.take('dead', 'b', 1, 1)).rejects.toThrow(/counted again/u);
  });

  test('counts files that were stored earlier once, however many processes start', async () => {
    const listed = new ListedFiles();
    listed.add('a', 30, soon());
    listed.add('b', 20, Date.now() - 1);
    const url = server.url();
    await Promise.all([1, 2, 3].map(() => count(url, listed.storage)));
    const [first, second] = [await open({}, url), await open({}, url)];
    expect((await first.reserve('a', 60)).bytes()).toBe(30);
    expect((await second.reserve('c', 100)).bytes()).toBe(40);
  });

  test('four processes with ten senders each fill it, and never exceed it', async () => {
    const folder = await temporaryFolder(onTestFinished);
    const [url, totalBytes] = [server.url(), MB];
    const storage = await openDiskStorage(folder, Date.now);
    onTestFinished(() => storage.close());
    await count(url);
    const scripts = [1, 2, 3, 4].map(() =>
      runScript(SENDERS, [folder, url, String(totalBytes)], onTestFinished),
    );
    await Promise.all(scripts.map(({ child }) => once(child.stdout!, 'data')));
    for (const { child } of scripts) child.kill('SIGUSR2');
    let isOver = false;
    const ended = Promise.all(scripts.map(({ output }) => output)).finally(() => {
      isOver = true;
    });
    const storedBytes = async () => (await usageOf(storage)).reduce((sum, { size }) => sum + size, 0);
    while (!isOver) {
      expect(await storedBytes()).toBeLessThanOrEqual(totalBytes);
      await sleep(20);
    }
    const refused = (await ended).map((text) => Number(text.replace('ready\n', '')));
    expect(Math.min(...refused)).toBeGreaterThan(0);
    expect(await storedBytes()).toBeLessThanOrEqual(totalBytes);
    expect(await storedBytes()).toBeGreaterThan(totalBytes - 64 * KB);
  });

  test('while Redis is down each process counts by itself, and all count together once it works again', async () => {
    const own = await openTestRedis(onTestFinished);
    const listed = new ListedFiles();
    const reports: string[] = [];
    const report = (event: { type: string }) => void reports.push(event.type);
    const url = own.url();
    const { quota } = await openCounted({ storage: listed.storage, report }, url);
    const counted = await store(quota, 'a', 20, soon());
    listed.files.push(counted);
    const begun = await quota.reserve('a', 10);
    await own.kill();
    listed.files.push(await store(quota, 'a', 20, soon()));
    await begun.grow(15);
    expect(begun.bytes()).toBe(15);
    await expect((async () => quota.reserve('a', 20, 20))()).rejects.toEqual(FULL);

    await own.start();
    await eventually(
      async () => reports,
      (types) => types.includes('quota-restored'),
    );
    expect(reports.filter((type) => type.startsWith('quota'))).toEqual(['quota-degraded', 'quota-restored']);
    const { quota: other } = await openCounted({ storage: listed.storage }, url);
    expect((await other.reserve('a', 60)).bytes()).toBe(20);
  });

  test('is exact again after Redis was emptied, also for uploads under way', async () => {
    const listed = new ListedFiles();
    const url = server.url();
    const { quota, redis } = await openCounted({ storage: listed.storage }, url);
    const begun = await quota.reserve('a', 30);
    listed.files.push(await store(quota, 'b', 40, soon()));
    const keys = await redis.client().keys(`${redis.prefix}quota:*`);
    await redis.client().del(keys);
    await begun.grow(50);
    await eventually(async () => redis.client().exists(`${redis.prefix}quota:counted`), Boolean);
    const id = newId(soon());
    await begun.keep(id, 55, async () => {});
    begun.release();
    const used = () => redis.client().hGet(`${redis.prefix}quota:used`, '*');
    await eventually(used, (bytes) => bytes === '95');
    expect((await quota.reserve('c', 100)).bytes()).toBe(5);
  });

  test('starts without a server, and reports it', async () => {
    const reports: string[] = [];
    const quota = await open({ report: ({ type }) => void reports.push(type) }, 'redis://127.0.0.1:9');
    await store(quota, 'a', 40, soon());
    expect((await quota.reserve('a', 60)).bytes()).toBe(20);
    expect(reports).toEqual(['quota-degraded']);
  });
});

/** Ten senders, each of which stores files until a few have been refused. Prints how many were. */
const SENDERS = `
  import { randomBytes, randomInt } from 'node:crypto';
  import { Readable } from 'node:stream';
  import { openRedisQuota } from 'src/uploads/quotas/redis.ts';
  import { openDiskStorage } from 'src/uploads/storage/disk.ts';
  import { createUploads } from 'src/uploads/uploads.ts';
  const [folder, url, totalBytes] = process.argv.slice(1);
  const storage = await openDiskStorage(folder, Date.now);
  const report = () => {};
  const bucketsOf = (key, limit) => [{ key, limit }];
  const elapsedMs = () => performance.now();
  const limits = { totalBytes: Number(totalBytes), ownerBytes: 2 ** 40, bucketsOf };
  const quota = await openRedisQuota(url, { ...limits, storage, elapsedMs, now: Date.now, report });
  const uploads = createUploads({ storage, quota, maxBytes: 2 ** 30, now: Date.now, report });
  const told = new Promise((resolve) => process.on('SIGUSR2', resolve));
  const claims = { originalname: 'a.bin', encoding: '7bit', mimetype: 'application/octet-stream' };
  let refused = 0;
  async function send(sender) {
    for (let mine = 0; mine < 3;) {
      const bytes = randomBytes(randomInt(1, 60_000));
      let upload;
      try {
        upload = await uploads.receive({ owner: sender, address: sender }, bytes.length);
        await upload.stage(Readable.from([bytes]));
        await upload.publish(claims, Date.now() + 3_600_000);
      } catch (error) {
        if (error.code !== 'storage-full') throw error;
        mine += 1;
        refused += 1;
      } finally {
        await upload?.close();
      }
    }
  }
  console.log('ready');
  await told;
  await Promise.all(Array.from({ length: 10 }, (_, index) => send('sender-' + index)));
  console.log(refused);
  await quota.close();
  await storage.close();
  process.exit();`;
