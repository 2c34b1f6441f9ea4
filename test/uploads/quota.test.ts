import { describe, expect, test } from 'vitest';
import { countStored } from '../../src/uploads/count-stored.ts';
import { quotaBuckets } from '../../src/uploads/limiter-keys.ts';
import { createQuota } from '../../src/uploads/quota.ts';
import type { Storage, Usage } from '../../src/uploads/storage.ts';
import { newId } from '../support/uploads.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const open = () => createQuota({ totalBytes: 100, ownerBytes: 60 });
const FULL = expect.objectContaining({ code: 'storage-full' });

describe('a quota', () => {
  test('reserves the requested bytes, or those that are left', () => {
    const quota = open();
    expect(quota.reserve('a', 40).bytes()).toBe(40);
    expect(quota.reserve('a', 40).bytes()).toBe(20);
    expect(() => quota.reserve('a', 1)).toThrow(FULL);
    expect(quota.reserve('b', 60).bytes()).toBe(40);
    expect(() => quota.reserve('c', 1)).toThrow(FULL);
    expect(quota.usedBytes()).toBe(100);
  });

  test('names the limit in its error', () => {
    const quota = open();
    quota.reserve('a', 60);
    expect(() => quota.reserve('a', 1)).toThrow(/your share/u);
    quota.reserve('b', 60);
    expect(() => quota.reserve('c', 1)).toThrow(/the store is full/u);
  });

  test('releases a reservation once', () => {
    const quota = open();
    const reservation = quota.reserve('a', 60);
    reservation.release();
    reservation.release();
    expect(quota.usedBytes()).toBe(0);
    expect(quota.reserve('a', 60).bytes()).toBe(60);
  });

  test('counts the bytes that a file occupies, and releases the rest of its reservation', () => {
    const quota = open();
    const reservation = quota.reserve('a', 60);
    reservation.keep(10, NOW + HOUR);
    reservation.release();
    expect(quota.usedBytes()).toBe(10);
    expect(quota.reserve('a', 60).bytes()).toBe(50);
  });

  test('frees an expired file within a minute, and never before', () => {
    const quota = open();
    for (const life of [1, MINUTE - 1, MINUTE, MINUTE + 1]) quota.reserve('a', 10).keep(10, NOW + life);
    quota.expire(NOW);
    expect(quota.usedBytes()).toBe(40);
    quota.expire(NOW + MINUTE - 1);
    expect(quota.usedBytes()).toBe(40);
    quota.expire(NOW + MINUTE);
    expect(quota.usedBytes()).toBe(10);
    quota.expire(NOW + 2 * MINUTE);
    quota.expire(NOW + 2 * MINUTE);
    expect(quota.usedBytes()).toBe(0);
    expect(quota.reserve('a', 60).bytes()).toBe(60);
  });

  test('frees a deleted file once, and not again at its expiry', () => {
    const quota = open();
    const [id, size, uploadedAt] = [newId(NOW + HOUR), 30, NOW];
    quota.reserve('a', 30).keep(30, NOW + HOUR);
    quota.reserve('a', 20).keep(20, NOW + HOUR);
    quota.forget({ id, owner: 'a', size, uploadedAt });
    expect(quota.usedBytes()).toBe(20);
    quota.expire(NOW + 2 * HOUR);
    expect(quota.usedBytes()).toBe(0);
    quota.forget({ id, owner: 'a', size: 20, uploadedAt });
    expect(quota.usedBytes()).toBe(0);
  });

  test('extends a reservation ahead of the bytes that have arrived, while there is space', () => {
    const quota = open();
    const reservation = quota.reserve('a', 10);
    reservation.grow(20, 15);
    expect(reservation.bytes()).toBe(35);
    reservation.grow(40, 50);
    expect(reservation.bytes()).toBe(60);
    expect(() => reservation.grow(61)).toThrow(FULL);
    expect(reservation.bytes()).toBe(60);
  });

  test('limits all networks of a site to eight shares together, and reserves in both buckets or in neither', () => {
    const quota = createQuota({ totalBytes: 1_000, ownerBytes: 10, bucketsOf: quotaBuckets });
    const owner = (network: number) => `2001:db8:0:${network.toString(16)}::/64`;
    for (let network = 0; network < 8; network += 1) {
      expect(quota.reserve(owner(network), 20).bytes()).toBe(10);
      expect(() => quota.reserve(owner(network), 1)).toThrow(/your share of 10 B/u);
    }
    expect(() => quota.reserve(owner(9), 1)).toThrow(/your share of 80 B/u);
    expect(quota.usedBytes()).toBe(80);
    expect(quota.reserve('2001:db8:1:0::/64', 10).bytes()).toBe(10);
    expect(quota.reserve('192.0.2.1', 10).bytes()).toBe(10);
  });

  test('keeps no entry for owners without files', () => {
    const quota = createQuota({ totalBytes: 2 ** 40, ownerBytes: 100 });
    for (let owner = 0; owner < 1_000; owner += 1) {
      const reservation = quota.reserve(String(owner), 100);
      if (owner % 2) reservation.keep(100, NOW + HOUR);
      reservation.release();
    }
    expect(quota.usedBytes()).toBe(50_000);
    quota.expire(NOW + 2 * HOUR);
    expect(quota.usedBytes()).toBe(0);
  });
});

describe('after a restart', () => {
  const usage = (owner: string, size: number, expiresAt: number, uploadedAt = NOW - HOUR): Usage => ({
    ...{ id: newId(expiresAt), owner, size, uploadedAt },
  });

  async function countAll(found: Usage[] | Error) {
    const quota = open();
    const reports: unknown[] = [];
    const storage = {
      async *usage() {
        if (found instanceof Error) throw found;
        yield* found;
      },
    } as unknown as Storage;
    const stop = countStored({ storage, quota, report: (one) => void reports.push(one), before: NOW });
    await new Promise((counted) => setImmediate(counted));
    await stop();
    return { quota, reports };
  }

  test('stored files count until they expire', async () => {
    const { quota } = await countAll([usage('a', 40, NOW + HOUR), usage('a', 20, NOW + 2 * HOUR)]);
    expect(() => quota.reserve('a', 1)).toThrow(FULL);
    expect(quota.reserve('b', 60).bytes()).toBe(40);
    quota.expire(NOW + HOUR);
    expect(quota.reserve('a', 60).bytes()).toBe(40);
  });

  test('files that have expired meanwhile do not count, swept or not', async () => {
    const { quota } = await countAll([usage('a', 40, NOW - 1), usage('a', 20, NOW), usage('a', 10, NOW + 1)]);
    expect(quota.usedBytes()).toBe(10);
  });

  test('files that were uploaded since count once', async () => {
    const { quota } = await countAll([usage('a', 40, NOW + HOUR, NOW), usage('a', 10, NOW + HOUR, NOW + 5)]);
    expect(quota.usedBytes()).toBe(0);
  });

  test('a storage that is down at the start is counted once it recovers', async () => {
    const quota = open();
    const answers = [new Error('away'), new Error('away'), [usage('a', 40, NOW + HOUR)]];
    const storage = {
      async *usage() {
        const answer = answers.shift()!;
        if (answer instanceof Error) throw answer;
        yield* answer;
      },
    } as unknown as Storage;
    const reports: unknown[] = [];
    const report = (one: unknown) => void reports.push(one);
    const stop = countStored({ storage, quota, report, before: NOW, retryMs: 5 });
    await expect.poll(() => quota.usedBytes()).toBe(40);
    expect(reports).toHaveLength(2);
    await stop();
  });

  test('files that are removed during the count do not count', async () => {
    const quota = open();
    const [first, second, third] = [10, 20, 30].map((size) => usage('a', size, NOW + HOUR)) as [
      Usage,
      Usage,
      Usage,
    ];
    const storage = {
      async *usage() {
        yield first;
        quota.forget(first);
        quota.forget(second);
        yield second;
        yield third;
      },
    } as unknown as Storage;
    const stop = countStored({ storage, quota, report: () => {}, before: NOW });
    quota.reserve('a', 5).keep(5, NOW + HOUR);
    await expect.poll(() => quota.usedBytes()).toBe(35);
    await stop();
    quota.forget(third);
    expect(quota.stored()).toEqual({ bytes: 5, files: 1 });
  });

  test('a storage that fails during the count is counted again, and each file once', async () => {
    const quota = open();
    const found = [usage('a', 10, NOW + HOUR), usage('a', 20, NOW + HOUR)];
    let rounds = 0;
    const storage = {
      async *usage() {
        rounds += 1;
        yield found[0];
        if (rounds < 3) throw new Error('away');
        yield found[1];
      },
    } as unknown as Storage;
    const stop = countStored({ storage, quota, report: () => {}, before: NOW, retryMs: 5 });
    await expect.poll(() => quota.usedBytes()).toBe(30);
    await stop();
    expect(rounds).toBe(3);
  });

  test('a storage that cannot be counted is reported', async () => {
    const error = new Error('no such disk');
    const { reports } = await countAll(error);
    expect(reports).toEqual([{ type: 'store-failed', doing: expect.any(String), error }]);
  });
});
