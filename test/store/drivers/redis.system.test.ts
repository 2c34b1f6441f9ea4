import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openRedisStore } from '../../../src/store/drivers/redis.ts';
import { openSnapshotStore } from '../../../src/store/snapshot-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { storeContract } from '../../contracts/store.ts';
import {
  connectTestRedis,
  describeWithRedis,
  findFreePort,
  openTestRedis,
  type TestRedis,
} from '../../support/redis.ts';
import { openTestRefresh } from '../../support/refresh.ts';
import { runScript } from '../../support/run-script.ts';
import { eventually } from '../../support/service.ts';
import { untilEnd } from '../../support/upload-client.ts';
import { writeStore, writeValues } from '../../support/write-store.ts';
import FORMER from './former-redis.json' with { type: 'json' };

describeWithRedis('a Redis', () => {
  let redis: TestRedis;
  const atEnd = untilEnd();

  beforeAll(async () => {
    redis = await openTestRedis(atEnd);
  });

  storeContract('redis', openRedis, true);

  async function openRedis() {
    const url = redis.url();
    const opened: Store[] = [];
    const reopen = async () => {
      const store = await openRedisStore(url);
      opened.push(store);
      return store;
    };
    const close = async () => {
      await Promise.all(opened.map((store) => store.close()));
    };
    return { store: await reopen(), reopen, close };
  }

  async function open(url: string, leaseMs?: number): Promise<Store> {
    const store = await openRedisStore(url, leaseMs ? { leaseMs } : {});
    onTestFinished(() => store.close());
    return store;
  }

  test('frees the lease of a killed process at the end of its TTL, and not before', async () => {
    const [url, leaseMs] = [redis.url(), 2_500];
    const code = `import { openRedisStore } from 'src/store/drivers/redis.ts';
      const store = await openRedisStore('${url}', { leaseMs: ${leaseMs} });
      await store.lease('refresh');
      console.log('held');`;
    const holder = runScript(code, [], onTestFinished);
    await once(holder.child.stdout!, 'data');
    const store = await open(url, leaseMs);
    await sleep(1.5 * leaseMs);
    expect(await store.lease('refresh')).toBeUndefined();
    await holder.kill();
    expect(
      await eventually(
        () => store.lease('refresh'),
        (lease) => lease !== undefined,
      ),
    ).toBeDefined();
  });

  test('refuses what a job writes whose lease was lost, whatever leases its process takes afterwards', async () => {
    const url = redis.url();
    const [slow, other] = [await open(url), await open(url)];
    const lost = await slow.lease('refresh');
    await lost?.write({ key: 'while it was held' });
    await forgetLease(url);
    await expect(lost?.write({ key: 'lost' })).rejects.toThrow('lease was lost');
    await writeValues(other, { key: "the other's" });
    const next = await slow.lease('refresh');
    await expect(lost?.write({ key: 'lost' })).rejects.toThrow('lease was lost');
    await lost?.release();
    expect(await slow.values.get('key')).toBe("the other's");
    await next?.write({ key: 'under a lease of its own' });
    expect(await lost?.isHeld()).toBe(false);
    await expect(next?.release()).resolves.toBeUndefined();
    await expect(next?.write({ key: 'released' })).rejects.toThrow('lease was lost');
  });

  /** Opens the values that an earlier version wrote to Redis. */
  async function openFormer(name: keyof typeof FORMER) {
    const url = redis.url();
    const { client, prefix } = await connectTestRedis(url);
    for (const [key, value] of Object.entries(FORMER[name]))
      await client().set(
        key.replace('tayang:', prefix),
        typeof value === 'string' ? value : JSON.stringify(value),
      );
    const keys = async () => {
      const names = (await client().keys(`${prefix}*`)).sort();
      return Object.fromEntries(await Promise.all(names.map(async (one) => [one, await client().get(one)])));
    };
    const openSnapshots = async () => openSnapshotStore(await open(url), { random: () => 0, place: 'redis' });
    return { keys, openSnapshots };
  }

  test.each(['076adff', 'fe1054e'] as const)(
    'written by the version of %s is taken over with its events and their numbers, and leaves it nothing to go on from',
    async (name) => {
      const { keys, openSnapshots } = await openFormer(name);
      const before = await keys();
      const store = await openSnapshots();
      const listing = (await store.readListing())!;
      expect(await keys()).toEqual(before);
      const { 'tayang:listing:events': events, 'tayang:listing:snapshot': snapshot } = FORMER[name];
      expect(listing.events).toEqual(events.value);
      expect(listing.snapshot).toMatchObject({
        lastEvent: events.value.length,
        ongoing: snapshot.value.ongoing,
      });
      await writeStore(store, { listing });
      expect(await (await openSnapshots()).readListing()).toMatchObject(listing);
      expect(await store.values.get('snapshot')).toEqual({ form: 3 });
    },
  );

  test.each([
    ['is a replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
    ['has no memory left', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
  ])('that %s costs the source no request', async (_what, begin, end) => {
    const url = redis.url();
    const { source, refresh, peek } = await openTestRefresh(60, await open(url));
    await refresh();
    source.reads.length = 0;
    const client = (await connectTestRedis(url)).client();
    await client.sendCommand(begin);
    for (const attempt of [refresh, peek]) await expect(attempt()).rejects.toThrow(/READONLY|OOM/u);
    await client.sendCommand(end);
    expect(source.reads).toEqual([]);
    await peek();
    expect(source.reads).toEqual(['1']);
  });

  test('keeps its keys under its prefix', async () => {
    const url = redis.url();
    const store = await open(url);
    await writeValues(store, { snapshot: 1 });
    await store.lease('refresh');
    const { client, prefix } = await connectTestRedis(url);
    const keys = await client().keys(`${prefix}*`);
    expect(keys.map((key) => key.slice(prefix.length)).sort()).toEqual([
      'change',
      'lease',
      'listing:snapshot',
    ]);
    expect(await client().pTTL(`${prefix}listing:snapshot`)).toBe(-1);
  });

  test('does not open without a server, and its error contains no secret', async () => {
    const url = `redis://:secret@127.0.0.1:${await findFreePort()}`;
    const failure = await openRedisStore(url, { connectTimeoutMs: 300 }).catch(String);
    expect(failure).toContain('cannot be reached: connect ECONNREFUSED');
    expect(failure).not.toContain('secret');
  });

  /** Removes the lease, as if Redis had been paused for longer than the term. */
  async function forgetLease(url: string, key = 'lease'): Promise<void> {
    const { client, prefix } = await connectTestRedis(url);
    expect(await client().del(`${prefix}${key}`)).toBe(1);
  }
});
