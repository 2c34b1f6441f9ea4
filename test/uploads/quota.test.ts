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

/** The part of a storage that has no resumable uploads. */
const NOTHING_RESUMABLE = { async *usage() {} };

describe('a quota', () => {
  test('reserves the requested bytes while they are available, and otherwise those that are left', () => {
    const quota = open();
    expect(quota.reserve('a', 40).bytes()).toBe(40);
    expect(quota.reserve('a', 40).bytes()).toBe(20);
    expect(() => quota.reserve('a', 1)).toThrow(FULL);
    expect(quota.reserve('b', 60).bytes()).toBe(40);
    expect(() => quota.reserve('c', 1)).toThrow(FULL);
    expect(quota.usedBytes()).toBe(100);
  });

  test('names the limit that is reached', () => {
    const quota = open();
    quota.reserve('a', 60);
    expect(() => quota.reserve('a', 1)).toThrow(/your share/u);
    quota.reserve('b', 60);
    expect(() => quota.reserve('c', 1)).toThrow(/the store is full/u);
  });

  test('releases a reservation, once', () => {
    const quota = open();
    const reservation = quota.reserve('a', 60);
    reservation.release();
    reservation.release();
    expect(quota.usedBytes()).toBe(0);
    expect(quota.reserve('a', 60).bytes()).toBe(60);
  });

  test('counts what a file really occupies, and releases the rest of its reservation', () => {
    const quota = open();
    const reservation = quota.reserve('a', 60);
    reservation.keep(10, NOW + HOUR);
    reservation.release();
    expect(quota.usedBytes()).toBe(10);
    expect(quota.reserve('a', 60).bytes()).toBe(50);
  });

  test('frees what has expired, never before and within a minute', () => {
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

  test('frees what was deleted, and not again when it would have expired', () => {
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

  test('extends a reservation, ahead of what has arrived while there is space', () => {
    const quota = open();
    const reservation = quota.reserve('a', 10);
    reservation.grow(20, 15);
    expect(reservation.bytes()).toBe(35);
    reservation.grow(40, 50);
    expect(reservation.bytes()).toBe(60);
    expect(() => reservation.grow(61)).toThrow(FULL);
    expect(reservation.bytes()).toBe(60);
  });

  test('gives all networks of a site eight shares together, in both shares or in neither', () => {
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
      resumable: NOTHING_RESUMABLE,
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

  test('what is stored counts until it expires', async () => {
    const { quota } = await countAll([usage('a', 40, NOW + HOUR), usage('a', 20, NOW + 2 * HOUR)]);
    expect(() => quota.reserve('a', 1)).toThrow(FULL);
    expect(quota.reserve('b', 60).bytes()).toBe(40);
    quota.expire(NOW + HOUR);
    expect(quota.reserve('a', 60).bytes()).toBe(40);
  });

  test('what has expired meanwhile counts for nothing, swept or not', async () => {
    const { quota } = await countAll([usage('a', 40, NOW - 1), usage('a', 20, NOW), usage('a', 10, NOW + 1)]);
    expect(quota.usedBytes()).toBe(10);
  });

  test('what was uploaded since counts once', async () => {
    const { quota } = await countAll([usage('a', 40, NOW + HOUR, NOW), usage('a', 10, NOW + HOUR, NOW + 5)]);
    expect(quota.usedBytes()).toBe(0);
  });

  test('a store that is away at the start is counted once it is back', async () => {
    const quota = open();
    const answers = [new Error('away'), new Error('away'), [usage('a', 40, NOW + HOUR)]];
    const storage = {
      resumable: NOTHING_RESUMABLE,
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

  test('what is removed while it counts is taken off when it had been counted, and else not counted', async () => {
    const quota = open();
    const [first, second, third] = [10, 20, 30].map((size) => usage('a', size, NOW + HOUR)) as [
      Usage,
      Usage,
      Usage,
    ];
    const storage = {
      resumable: NOTHING_RESUMABLE,
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

  test('a store that breaks off half-way is counted again, and nothing twice', async () => {
    const quota = open();
    const found = [usage('a', 10, NOW + HOUR), usage('a', 20, NOW + HOUR)];
    let rounds = 0;
    const storage = {
      resumable: NOTHING_RESUMABLE,
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
