import { describe, expect, test } from 'vitest';
import { quotaBuckets } from '../../src/uploads/buckets.ts';
import type { Quota, QuotaOptions } from '../../src/uploads/quota.ts';
import { store } from '../support/quota.ts';
import { eventually } from '../support/service.ts';
import { newId } from '../support/uploads.ts';

/** Opens a quota that has counted nothing yet; closes it after the test. */
export type OpenQuota = (options?: Partial<QuotaOptions>) => Promise<Quota>;

const HOUR = 3_600_000;
const FULL = expect.objectContaining({ code: 'storage-full' });

/** What every quota does, wherever it counts. */
export function quotaContract(name: string, open: OpenQuota): void {
  const soon = () => Date.now() + HOUR;
  const reserve = async (quota: Quota, owner: string, bytes: number, needed?: number) =>
    quota.reserve(owner, bytes, needed);

  /** Waits until that much can be reserved: what a release leads to may take a moment. */
  async function canReserve(quota: Quota, owner: string, bytes: number): Promise<void> {
    await eventually(
      () =>
        reserve(quota, owner, bytes, bytes).then(
          (reservation) => reservation.bytes(),
          () => 0,
        ),
      (given) => given === bytes,
    );
  }

  describe(`${name}, as any quota`, () => {
    test('reserves the requested bytes, or those that are left if they are fewer', async () => {
      const quota = await open();
      expect((await reserve(quota, 'a', 40)).bytes()).toBe(40);
      expect((await reserve(quota, 'a', 40)).bytes()).toBe(20);
      await expect(reserve(quota, 'a', 1)).rejects.toEqual(FULL);
      expect((await reserve(quota, 'b', 60)).bytes()).toBe(40);
      await expect(reserve(quota, 'c', 1)).rejects.toEqual(FULL);
    });

    test('refuses to reserve less than is needed', async () => {
      const quota = await open();
      await reserve(quota, 'a', 50);
      await expect(reserve(quota, 'a', 5, 11)).rejects.toThrow(/not enough space left/u);
      expect((await reserve(quota, 'a', 5, 10)).bytes()).toBe(5);
    });

    test('names the limit that is reached', async () => {
      const quota = await open();
      await reserve(quota, 'a', 60);
      await expect(reserve(quota, 'a', 1)).rejects.toThrow(/your share of 60 B/u);
      await reserve(quota, 'b', 60);
      await expect(reserve(quota, 'c', 1)).rejects.toThrow(/the store is full/u);
    });

    test('releases a reservation, once', async () => {
      const quota = await open();
      const reservation = await reserve(quota, 'a', 60);
      await reserve(quota, 'b', 40);
      reservation.release();
      reservation.release();
      await canReserve(quota, 'a', 60);
      await expect(reserve(quota, 'c', 1)).rejects.toEqual(FULL);
    });

    test('extends a reservation, ahead of what has arrived while there is space', async () => {
      const quota = await open();
      const reservation = await reserve(quota, 'a', 10);
      await reservation.grow(20, 15);
      expect(reservation.bytes()).toBe(35);
      expect(reservation.grow(35)).toBeUndefined();
      await reservation.grow(40, 50);
      expect(reservation.bytes()).toBe(60);
      await expect((async () => reservation.grow(61))()).rejects.toEqual(FULL);
      expect(reservation.grow(60)).toBeUndefined();
      expect(reservation.grow(10)).toBeUndefined();
      expect(reservation.bytes()).toBe(60);
    });

    test('extends a reservation to the largest of several requests at once', async () => {
      const quota = await open();
      const reservation = await reserve(quota, 'a', 1);
      await Promise.all([20, 10, 30].map((bytes) => reservation.grow(bytes)));
      expect(reservation.bytes()).toBe(30);
      expect((await reserve(quota, 'a', 60)).bytes()).toBe(30);
    });

    test('counts what a file really occupies, and releases the rest of its reservation', async () => {
      const quota = await open();
      const reservation = await reserve(quota, 'a', 60);
      await reservation.keep(newId(soon()), 10, async () => {});
      reservation.release();
      expect((await reserve(quota, 'a', 60)).bytes()).toBe(50);
    });

    test('counts nothing when a file cannot be published', async () => {
      const quota = await open();
      const reservation = await reserve(quota, 'a', 60);
      const failing = reservation.keep(newId(soon()), 60, async () => {
        throw new Error('no disk');
      });
      await expect(failing).rejects.toThrow('no disk');
      reservation.release();
      await canReserve(quota, 'a', 60);
    });

    test('releases the space of expired files', async () => {
      const quota = await open();
      const now = Date.now();
      await store(quota, 'a', 30, now + HOUR);
      await store(quota, 'a', 30, now + 2 * HOUR);
      quota.expire(now + HOUR - 1);
      await expect(reserve(quota, 'a', 1)).rejects.toEqual(FULL);
      quota.expire(now + HOUR + 60_000);
      await canReserve(quota, 'a', 30);
      await expect(reserve(quota, 'a', 1)).rejects.toEqual(FULL);
    });

    test('releases the space of a removed file once, and not again at its expiry', async () => {
      const quota = await open();
      const removed = await store(quota, 'a', 30, soon());
      await store(quota, 'a', 20, Date.now() + 3 * HOUR);
      quota.forget(removed);
      quota.forget(removed);
      quota.expire(Date.now() + 2 * HOUR);
      await canReserve(quota, 'a', 40);
      await expect(reserve(quota, 'a', 1)).rejects.toEqual(FULL);
    });

    test('releases the space of a removed file once, although another one expires at the same time', async () => {
      const quota = await open();
      const expiresAt = soon();
      const removed = await store(quota, 'a', 20, expiresAt);
      await store(quota, 'a', 20, expiresAt);
      quota.forget(removed);
      quota.forget(removed);
      await canReserve(quota, 'a', 40);
      await expect(reserve(quota, 'a', 1)).rejects.toEqual(FULL);
    });

    test('counts an IPv6 network in its share and in the eight shares of its /48, or in neither', async () => {
      const quota = await open({ totalBytes: 1_000, ownerBytes: 10, bucketsOf: quotaBuckets });
      const owner = (network: number) => `2001:db8:0:${network.toString(16)}::/64`;
      for (let network = 0; network < 8; network += 1) {
        expect((await reserve(quota, owner(network), 20)).bytes()).toBe(10);
        await expect(reserve(quota, owner(network), 1)).rejects.toThrow(/your share of 10 B/u);
      }
      await expect(reserve(quota, owner(9), 1)).rejects.toThrow(/your share of 80 B/u);
      expect((await reserve(quota, '2001:db8:1:0::/64', 10)).bytes()).toBe(10);
      expect((await reserve(quota, '192.0.2.1', 10)).bytes()).toBe(10);
    });

    test('is never exceeded by concurrent reservations', async () => {
      const quota = await open({ totalBytes: 1_000, ownerBytes: 700 });
      const results = await Promise.allSettled(
        Array.from({ length: 60 }, (_, index) => store(quota, index % 2 ? 'a' : 'b', 37, soon())),
      );
      const kept = results.filter(({ status }) => status === 'fulfilled').length;
      expect(kept).toBe(Math.floor(1_000 / 37));
    });
  });
}
