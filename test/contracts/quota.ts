import { describe, expect, test } from 'vitest';
import { quotaBuckets } from '../../src/uploads/ip-address.ts';
import type { Quota } from '../../src/uploads/quota.ts';
import { ListedFiles, store, type TestLimits, type TestQuotaOptions } from '../support/quota.ts';
import { eventually } from '../support/service.ts';
import { newId } from '../support/uploads.ts';

/** Opens limits, and closes them after the test. */
export type OpenLimits = (options?: Partial<TestQuotaOptions>) => Promise<TestLimits>;

const HOUR = 3_600_000;
const FULL = expect.objectContaining({ code: 'storage-full' });

/** What every quota does, wherever it counts. */
export function quotaContract(name: string, openLimits: OpenLimits): void {
  const soon = () => Date.now() + HOUR;
  const open = async (more?: Partial<TestQuotaOptions>) => (await openLimits(more)).quota;

  async function reserve(quota: Quota, owner: string, bytes: number, ahead = 0) {
    const reservation = await quota.reserve(owner);
    await reservation.grow(bytes, ahead);
    return reservation;
  }

  /** Waits until exactly so many bytes are left: what a release leads to may take a moment. */
  async function isLeft(quota: Quota, owner: string, bytes: number): Promise<void> {
    await eventually(
      async () => {
        const reservation = await quota.reserve(owner).catch(() => undefined);
        await reservation?.grow(1, 1_000)?.catch(() => {});
        const given = reservation?.bytes();
        reservation?.release();
        return given;
      },
      (given) => given === bytes,
    );
  }

  describe(`${name}, as any quota`, () => {
    test('reserves nothing at first, then what is needed, and up to so much more that is left', async () => {
      const quota = await open();
      const first = await quota.reserve('a');
      expect(first.bytes()).toBe(0);
      await first.grow(20, 20);
      expect(first.bytes()).toBe(40);
      expect((await reserve(quota, 'a', 10, 30)).bytes()).toBe(20);
      await expect(reserve(quota, 'a', 1)).rejects.toEqual(FULL);
      expect((await reserve(quota, 'b', 30, 30)).bytes()).toBe(40);
      await expect(reserve(quota, 'c', 1)).rejects.toEqual(FULL);
    });

    test('does not begin when less is left than is needed', async () => {
      const quota = await open();
      await reserve(quota, 'a', 50);
      await expect(quota.reserve('a', 11)).rejects.toThrow(/not enough space left/u);
      expect((await quota.reserve('a', 10)).bytes()).toBe(0);
      await isLeft(quota, 'a', 10);
    });

    test('names the limit that is reached', async () => {
      const quota = await open();
      await reserve(quota, 'a', 60);
      await expect(reserve(quota, 'a', 1)).rejects.toThrow(/your share of 60 B/u);
      await reserve(quota, 'b', 40);
      await expect(reserve(quota, 'c', 1)).rejects.toThrow(/the store is full/u);
    });

    test('knows what can never fit', async () => {
      const quota = await open();
      await reserve(quota, 'a', 60);
      expect(() => quota.requirePossible('a', 60)).not.toThrow();
      expect(() => quota.requirePossible('a', 61)).toThrow(/not enough space/u);
    });

    test('releases a reservation, once', async () => {
      const quota = await open();
      const reservation = await reserve(quota, 'a', 60);
      await reserve(quota, 'b', 40);
      reservation.release();
      reservation.release();
      await isLeft(quota, 'a', 60);
    });

    test('releases what is reserved while it is released', async () => {
      const quota = await open();
      const reservation = await quota.reserve('a');
      const growing = reservation.grow(30);
      reservation.release();
      await growing;
      await isLeft(quota, 'a', 60);
    });

    test('extends a reservation to the largest of several requests at once', async () => {
      const quota = await open();
      const reservation = await quota.reserve('a');
      await Promise.all([20, 10, 30].map((bytes) => reservation.grow(bytes)));
      expect(reservation.bytes()).toBe(30);
      expect(reservation.grow(30)).toBeUndefined();
      await isLeft(quota, 'a', 30);
    });

    test('counts what is stored instead of the reservation, and releases the rest of it', async () => {
      const quota = await open();
      const reservation = await reserve(quota, 'a', 60);
      await reservation.keep(newId(soon()), 10);
      await isLeft(quota, 'a', 50);
      reservation.release();
      await isLeft(quota, 'a', 50);
    });

    test('counts an upload with its latest size, and then the file in place of it', async () => {
      const quota = await open();
      const reservation = await reserve(quota, 'a', 20);
      const upload = newId(soon());
      await reservation.keep(upload, 20);
      await reservation.grow(20);
      await reservation.keep(upload, 40);
      await isLeft(quota, 'a', 20);
      await reservation.grow(5);
      const file = newId(soon());
      await reservation.keep(file, 45, upload);
      await isLeft(quota, 'a', 15);
      quota.release(upload);
      await isLeft(quota, 'a', 15);
      quota.release(file);
      await isLeft(quota, 'a', 60);
    });

    test('releases the space of expired files', async () => {
      const quota = await open();
      const now = Date.now();
      await store(quota, 'a', 30, now + HOUR);
      await store(quota, 'a', 30, now + 2 * HOUR);
      quota.expire(now + HOUR - 1);
      await expect(reserve(quota, 'a', 1)).rejects.toEqual(FULL);
      quota.expire(now + HOUR + 60_000);
      await isLeft(quota, 'a', 30);
    });

    test('releases the space of a removed file once, and not again at its expiry', async () => {
      const quota = await open();
      const expiresAt = soon();
      const removed = await store(quota, 'a', 30, expiresAt);
      await store(quota, 'a', 20, expiresAt);
      quota.release(removed.id);
      quota.release(removed.id);
      await isLeft(quota, 'a', 40);
      quota.expire(expiresAt + 60_000);
      await isLeft(quota, 'a', 60);
    });

    test('does not count a file that is removed before it is counted', async () => {
      const quota = await open();
      const reservation = await reserve(quota, 'a', 30);
      const id = newId(soon());
      quota.release(id);
      await isLeft(quota, 'a', 30);
      await reservation.keep(id, 30);
      await isLeft(quota, 'a', 60);
    });

    test('counts an IPv6 network in its share and in the eight shares of its /48, or in neither', async () => {
      const quota = await open({ totalBytes: 1_000, ownerBytes: 10, bucketsOf: quotaBuckets });
      const owner = (network: number) => `2001:db8:0:${network.toString(16)}::/64`;
      for (let network = 0; network < 8; network += 1) {
        expect((await reserve(quota, owner(network), 1, 20)).bytes()).toBe(10);
        await expect(reserve(quota, owner(network), 1)).rejects.toThrow(/your share of 10 B/u);
      }
      await expect(reserve(quota, owner(9), 1)).rejects.toThrow(/your share of 80 B/u);
      await isLeft(quota, '2001:db8:1:0::/64', 10);
      await isLeft(quota, '192.0.2.1', 10);
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

  describe(`${name}, over what is stored`, () => {
    test('counts it at the start, without what has expired, until it expires', async () => {
      const listed = new ListedFiles();
      listed.add('a', 40, soon());
      listed.add('a', 20, Date.now() - 1);
      const quota = await open({ storage: listed.storage });
      await isLeft(quota, 'a', 20);
      expect(quota.stored()).toEqual({ bytes: 40, files: 1 });
      quota.expire(Date.now() + 2 * HOUR);
      await isLeft(quota, 'a', 60);
    });

    test('counts uploads that may be continued, with what has arrived', async () => {
      const listed = new ListedFiles();
      const [upload] = [listed.add('a', 40, soon())];
      const resumable = { ...listed.storage.resumable, usage: listed.storage.usage };
      const quota = await open({ storage: { ...listed.storage, usage: async function* () {}, resumable } });
      await isLeft(quota, 'a', 20);
      quota.release(upload.id);
      await isLeft(quota, 'a', 60);
    });

    test('releases a file that another process has stored and removed', async () => {
      const listed = new ListedFiles();
      const other = listed.add('a', 40, soon());
      const quota = await open({ storage: listed.storage });
      quota.release(other.id);
      await isLeft(quota, 'a', 60);
    });

    test('does not count what is removed while it is listed', async () => {
      const listed = new ListedFiles();
      const [early, late] = [listed.add('a', 10, soon()), listed.add('a', 20, soon())];
      listed.add('a', 5, soon());
      const goOn = Promise.withResolvers<void>();
      listed.onListed = () => goOn.promise;
      const quota = await open({ storage: listed.storage });
      quota.release(early.id);
      quota.release(late.id);
      goOn.resolve();
      await isLeft(quota, 'a', 55);
    });

    test('counts it again from the beginning when the storage fails, and reports that', async () => {
      const listed = new ListedFiles();
      listed.add('a', 10, soon());
      listed.add('a', 20, soon());
      listed.errors = [new Error('away'), new Error('away')];
      const reports: unknown[] = [];
      const quota = await open({ storage: listed.storage, report: (event) => void reports.push(event) });
      await isLeft(quota, 'a', 30);
      expect(listed.listings).toBe(3);
      expect(reports).toEqual(
        Array(2).fill({ type: 'store-failed', doing: 'counting what is stored', error: expect.any(Error) }),
      );
    });
  });
}
