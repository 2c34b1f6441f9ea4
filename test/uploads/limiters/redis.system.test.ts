import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { UploadId } from '../../../src/domain/upload-id.ts';
import { openRedisLimits } from '../../../src/uploads/limiters/redis.ts';
import { createRedisLedger } from '../../../src/uploads/limiters/redis-ledger.ts';
import { quotaContract } from '../../contracts/quota.ts';
import {
  A,
  B,
  commit,
  ListedFiles,
  openLimits,
  reserve,
  store,
  type TestLimits,
  type TestQuotaOptions,
} from '../../support/quota.ts';
import {
  connectTestRedis,
  describeWithRedis,
  findFreePort,
  openTestRedis,
  type TestRedis,
} from '../../support/redis.ts';
import { eventually } from '../../support/service.ts';
import { untilEnd } from '../../support/upload-client.ts';
import { newId } from '../../support/uploads.ts';

const HOUR = 3_600_000;
const FULL = expect.objectContaining({ code: 'share-full' });
const AWAY = expect.objectContaining({ code: 'limiter-down', retryAfterMs: 5_000 });
const soon = () => Date.now() + HOUR;

describeWithRedis('on a Redis', () => {
  let server: TestRedis;
  const atEnd = untilEnd();

  beforeAll(async () => {
    server = await openTestRedis(atEnd);
  });

  async function open(more: Partial<TestQuotaOptions> = {}, url = server.url()): Promise<TestLimits> {
    const limits = await openLimits((options) => openRedisLimits(url, options), more);
    onTestFinished(() => limits.close());
    return limits;
  }

  /** Waits until both processes count exactly what is stored and nothing more. */
  async function countExactly(processes: TestLimits[], owner: string, bytes: number, maxMs = 60_000) {
    for (const { leftOf } of processes) {
      await expect.poll(() => leftOf(owner), { timeout: maxMs, interval: 100 }).toBe(60 - bytes);
    }
  }

  quotaContract('the quota in Redis', (more) => open({ retryMs: 5, ...more }));

  test('processes share what is stored, reserved and released, and the places of uploads under way', async () => {
    const url = server.url();
    const [one, other] = [await open({}, url), await open({}, url)];
    const stored = await store(one.quota, A, 40, soon());
    const reservation = await reserve(other.quota, A, 20);
    await expect(one.quota.reserve(A, 1)).rejects.toEqual(FULL);
    reservation.release();
    other.quota.release(stored.id);
    await countExactly([one, other], A, 0);
    const places = [{ key: 'uploads a', limit: 3 }];
    const taken = await Promise.all([one, other, one, other].map(({ ledger }) => ledger.take(places, 1, 1)));
    expect(taken.filter(({ ok }) => ok)).toHaveLength(3);
    other.ledger.give(['uploads a'], 1, 0);
    await expect.poll(async () => (await one.ledger.take(places, 1, 1)).ok).toBe(true);
  });

  test('leaves no key but that of the count when nothing is stored and every process has ended', async () => {
    const url = server.url();
    const limits = await openLimits((options) => openRedisLimits(url, options));
    await store(limits.quota, A, 40, Date.now() - 1);
    await (await limits.quota.reserve(B)).grow(10);
    await limits.ledger.take([{ key: 'uploads a', limit: 3 }], 1, 1);
    const redis = await connectTestRedis(url);
    limits.quota.expire(Date.now());
    await expect.poll(() => redis.client().exists(`${redis.prefix}limits:entries`)).toBe(0);
    await limits.close();
    expect(await redis.client().keys(`${redis.prefix}*`)).toEqual([`${redis.prefix}limits:counted`]);
  });

  /** The answer of a step: what a process wants and needs of a bucket, and its limit. */
  const TAKE = [3, 3, 'uploads a', 3];
  const DEAD = 2;

  test('what a dead process holds is given back, and it has to register again', async () => {
    const leaseMs = 1_500;
    const ledger = createRedisLedger(await connectTestRedis(server.url()), leaseMs);
    await ledger.run('dead', 'register', ['']);
    expect((await ledger.run('dead', 'take', [2, 2, 'uploads a', 3])).ok).toBe(true);
    await sleep(leaseMs + 10);
    await ledger.run('living', 'register', ['']);
    expect((await ledger.run('living', 'take', TAKE)).ok).toBe(false);
    expect((await ledger.run('living', 'heartbeat')).numbers[DEAD]).toBe(1);
    expect(await ledger.run('living', 'take', TAKE)).toEqual({ ok: true, numbers: [3] });
    await expect(ledger.run('dead', 'take', TAKE)).rejects.toThrow(/silent for long/u);
  });

  test('a lease from before the clock was set back ends at once', async () => {
    const redis = await connectTestRedis(server.url());
    await createRedisLedger(redis, HOUR).run('dead', 'register', ['', 'uploads a', 3, 3]);
    const ledger = createRedisLedger(redis);
    await ledger.run('living', 'register', ['']);
    expect((await ledger.run('living', 'heartbeat')).numbers[DEAD]).toBe(1);
    expect((await ledger.run('living', 'take', TAKE)).ok).toBe(true);
  });

  test('a file that a listing does not have yet stays counted', async () => {
    const listed = new ListedFiles();
    const url = server.url();
    const one = await open({ storage: listed.storage }, url);
    const { id } = await store(one.quota, A, 40, soon());
    const lagging = listed.add(A, 40, soon());
    listed.files.set(id, { ...lagging, id });
    listed.files.delete(lagging.id);
    listed.lagging.add(id);
    const other = await open({ storage: listed.storage }, url);
    await eventually(
      async () => listed.listings,
      (listings) => listings >= 2,
    );
    await sleep(100);
    await countExactly([one, other], A, 40);
  });

  describe('that fails', () => {
    async function openFailing(processes = 2) {
      const failing = await openTestRedis(onTestFinished);
      const listed = new ListedFiles();
      const url = failing.url();
      const restart = () => open({ storage: listed.storage }, url);
      const opened = await Promise.all(Array.from({ length: processes }, restart));
      await countExactly(opened, A, 0);
      return { server: failing, listed, opened, restart };
    }

    async function storeListed({ quota }: TestLimits, listed: ListedFiles, size: number): Promise<UploadId> {
      const reservation = await quota.reserve(A, size);
      try {
        await reservation.grow(size);
        const file = { id: newId(soon()), owner: A, size, uploadedAt: 0 };
        listed.files.set(file.id, file);
        await commit(reservation, file.id, size);
        return file.id;
      } finally {
        reservation.release();
      }
    }

    function remove({ quota }: TestLimits, listed: ListedFiles, id: UploadId): void {
      listed.files.delete(id);
      quota.release(id);
    }

    test('uploads are refused while it is away', async () => {
      const { server: failing, opened } = await openFailing(1);
      const [one] = opened;
      const limiter = one!.openWindow(60_000);
      await failing.kill();
      await expect(one!.quota.reserve(A)).rejects.toEqual(AWAY);
      await expect((async () => limiter.take([{ key: A, limit: 1 }]))()).rejects.toEqual(AWAY);
      await expect((async () => limiter.peek([{ key: A, limit: 1 }]))()).rejects.toEqual(AWAY);
      const { signal } = new AbortController();
      for (const check of Object.values(one!.checks!)) await expect(check(signal)).rejects.toThrow();
      await failing.start();
      await countExactly(opened, A, 0);
      for (const check of Object.values(one!.checks!)) await check(signal);
    });

    test('after it did not answer for a while, a request waits for it once and no more', async () => {
      const { server: failing, opened } = await openFailing(1);
      failing.pause();
      onTestFinished(() => failing.resume());
      const timeOf = async (requests: number) => {
        const startedAt = performance.now();
        for (let request = 0; request < requests; request += 1)
          await expect(opened[0]!.quota.reserve(A)).rejects.toEqual(AWAY);
        return performance.now() - startedAt;
      };
      const firstMs = await timeOf(1);
      expect(await timeOf(5)).toBeLessThan(firstMs);
    });

    test('files that are removed while it is away do not count any more, also after a restart', async () => {
      const { server: failing, listed, opened, restart } = await openFailing();
      const [one, other] = opened;
      const ids: UploadId[] = [];
      for (const process of [one!, other!, one!, other!, one!, other!])
        ids.push(await storeListed(process, listed, 10));
      await countExactly(opened, A, 60);
      await failing.kill();
      for (const [index, id] of ids.entries()) remove(opened[index % 2]!, listed, id);
      await failing.start();
      await countExactly([...opened, await restart()], A, 0);
    });

    test('what is stored counts again after it comes back empty, and what is reserved all the time', async () => {
      const { server: failing, listed, opened } = await openFailing();
      const [one, other] = opened;
      await storeListed(one!, listed, 20);
      const reservation = await reserve(one!.quota, A, 10);
      await failing.kill();
      await failing.start();
      await countExactly(opened, A, 30);
      await reservation.grow(30);
      await expect(other!.quota.reserve(A, 11)).rejects.toEqual(FULL);
      reservation.release();
      await countExactly(opened, A, 20);
    });

    test('it starts without a server', async () => {
      const limits = await open({}, `redis://127.0.0.1:${await findFreePort()}`);
      await expect(limits.quota.reserve(A)).rejects.toEqual(AWAY);
    });
  });
});
