import { describe, expect, test } from 'vitest';
import { createQuota } from '../../src/uploads/quota.ts';
import {
  A,
  B,
  commit,
  ListedFiles,
  reserve,
  store,
  type TestLimits,
  type TestQuotaOptions,
} from '../support/quota.ts';
import { newId } from '../support/uploads.ts';

/** Opens limits, and closes them after the test. */
export type OpenLimits = (options?: Partial<TestQuotaOptions>) => Promise<TestLimits>;

const HOUR = 3_600_000;
const FULL = expect.objectContaining({ code: expect.stringMatching(/^(?:storage|share)-full$/u) });

/** What every quota does, wherever it counts. */
export function quotaContract(name: string, open: OpenLimits): void {
  const soon = () => Date.now() + HOUR;

  /** Waits until exactly so many bytes are left: what a release leads to may take a moment. */
  const isLeft = ({ leftOf }: TestLimits, owner: string, bytes: number) =>
    expect.poll(() => leftOf(owner), { timeout: 10_000 }).toBe(bytes);

  describe(`${name}, as any quota`, () => {
    test('reserves what is needed, and ahead only what is left', async () => {
      const limits = await open();
      const { quota } = limits;
      const ahead = await quota.reserve(A);
      await ahead.grow(40);
      await isLeft(limits, A, 10);
      await (await quota.reserve(A)).grow(9);
      await isLeft(limits, A, 0);
      await expect(reserve(quota, A, 1)).rejects.toEqual(FULL);
      await reserve(quota, B, 40);
      await expect(reserve(quota, '192.0.2.3', 1)).rejects.toEqual(FULL);
    });

    test('does not begin when less is left than is needed, and reserves nothing at first', async () => {
      const limits = await open();
      await reserve(limits.quota, A, 50);
      await expect(limits.quota.reserve(A, 11)).rejects.toThrow(/not enough space left/u);
      await limits.quota.reserve(A, 10);
      await isLeft(limits, A, 10);
    });

    test('names the limit that is reached, and blames a sender only for its own share', async () => {
      const { quota } = await open();
      const refusal = (code: string, message: RegExp) =>
        expect.objectContaining({ code, message: expect.stringMatching(message) });
      const mine = (message: RegExp) => refusal('share-full', message);
      const ours = (message: RegExp) => refusal('storage-full', message);
      await reserve(quota, A, 50);
      await expect(quota.reserve(A, 11)).rejects.toEqual(
        mine(/not enough space left in your share of 60 B/u),
      );
      await reserve(quota, A, 10);
      await expect(reserve(quota, A, 1)).rejects.toEqual(mine(/your share of 60 B is used up/u));
      await reserve(quota, B, 30);
      await expect(quota.reserve(B, 11)).rejects.toEqual(ours(/not enough space left for a file/u));
      await expect(quota.reserve(A, 11)).rejects.toEqual(mine(/your share of 60 B is used up/u));
      await reserve(quota, B, 10);
      await expect(reserve(quota, '192.0.2.3', 1)).rejects.toEqual(ours(/the store is full/u));
      await expect(quota.requirePossible(A, 61)).rejects.toEqual(mine(/your share of 60 B/u));
      const open100 = await open({ ownerBytes: 200 });
      await expect(open100.quota.requirePossible(A, 101)).rejects.toEqual(ours(/not enough space/u));
    });

    test('releases a reservation once, also what is reserved meanwhile', async () => {
      const limits = await open();
      const reservation = await reserve(limits.quota, A, 20);
      const growing = reservation.grow(30);
      reservation.release();
      reservation.release();
      await expect(growing).rejects.toEqual(FULL);
      await isLeft(limits, A, 60);
    });

    test('gives back what a request takes while its reservation is released', async () => {
      const limits = await open();
      const { ledger } = limits;
      /** Called when space was taken, before whoever takes it hears of that. */
      let onTaken = () => {};
      const quota = createQuota({
        ledger: {
          ...ledger,
          async take(...wanted) {
            const taken = await ledger.take(...wanted);
            onTaken();
            return taken;
          },
        },
        storage: { free: async () => ({ bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY }) },
        totalBytes: 100,
        ownerBytes: 60,
      });
      const reservation = await reserve(quota, A, 20);
      onTaken = reservation.release;
      await expect(reservation.grow(50)).rejects.toEqual(FULL);
      await isLeft(limits, A, 60);
    });

    test('extends a reservation to the largest of several requests at once', async () => {
      const limits = await open();
      const reservation = await limits.quota.reserve(A);
      await Promise.all([20, 10, 40].map((bytes) => reservation.grow(bytes)));
      expect(reservation.grow(50)).toBeUndefined();
      await isLeft(limits, A, 10);
    });

    test('counts what is stored instead of so much of the reservation, and releases the rest', async () => {
      const limits = await open();
      const reservation = await reserve(limits.quota, A, 60);
      await commit(reservation, newId(soon()), 10);
      await commit(reservation, newId(soon()), 20);
      await isLeft(limits, A, 0);
      reservation.release();
      await isLeft(limits, A, 30);
      reservation.release();
      await isLeft(limits, A, 30);
    });

    test('lets nothing become visible once a reservation is over, however long storing takes', async () => {
      const limits = await open();
      const reservation = await reserve(limits.quota, A, 30);
      const grant = await reservation.grant(30);
      grant.requireValid();
      reservation.release();
      expect(grant.requireValid).toThrow(expect.toSatisfy((error) => FULL.asymmetricMatch(error)));
      const late = await reserve(limits.quota, A, 30);
      const waiting = late.grant(40);
      late.release();
      await expect(waiting).rejects.toEqual(FULL);
      await isLeft(limits, A, 60);
    });

    test('counts an upload with its latest size, and then the file and what is left of it', async () => {
      const limits = await open();
      const [upload, file] = [newId(soon()), newId(soon())];
      for (const bytes of [0, 20]) {
        const reservation = await reserve(limits.quota, A, 20);
        await commit(reservation, upload, bytes + 20, { granted: 20 });
      }
      await isLeft(limits, A, 20);
      await commit(await limits.quota.reserve(A), file, 45, {
        granted: 45 + 5 - 40,
        rest: [{ id: upload, size: 5 }],
      });
      await isLeft(limits, A, 10);
      limits.quota.release(upload);
      await isLeft(limits, A, 15);
      limits.quota.release(file);
      await isLeft(limits, A, 60);
    });

    test('releases the space of expired files', async () => {
      const limits = await open();
      const now = Date.now();
      await store(limits.quota, A, 30, now + HOUR);
      await store(limits.quota, A, 30, now + 2 * HOUR);
      limits.quota.expire(now + HOUR - 1);
      await isLeft(limits, A, 0);
      limits.quota.expire(now + HOUR + 60_000);
      await isLeft(limits, A, 30);
    });

    test('releases the space of a removed file once, and not again at its expiry', async () => {
      const limits = await open();
      const expiresAt = soon();
      const removed = await store(limits.quota, A, 30, expiresAt);
      await store(limits.quota, A, 20, expiresAt);
      limits.quota.release(removed.id);
      limits.quota.release(removed.id);
      await isLeft(limits, A, 40);
      limits.quota.expire(expiresAt + 60_000);
      await isLeft(limits, A, 60);
    });

    test('does not count a file that is removed before it is counted', async () => {
      const limits = await open();
      const reservation = await reserve(limits.quota, A, 30);
      const id = newId(soon());
      limits.quota.release(id);
      await isLeft(limits, A, 30);
      await commit(reservation, id, 30);
      await isLeft(limits, A, 60);
    });

    test('counts an IPv6 network in its share and in the eight shares of its /48, or in neither', async () => {
      const limits = await open({ totalBytes: 1_000, ownerBytes: 10 });
      const owner = (network: number) => `2001:db8:0:${network.toString(16)}::/64`;
      for (let network = 0; network < 8; network += 1) {
        await reserve(limits.quota, owner(network), 10);
        await expect(reserve(limits.quota, owner(network), 1)).rejects.toThrow(/your share of 10 B/u);
      }
      await expect(reserve(limits.quota, owner(9), 1)).rejects.toThrow(/your share of 80 B/u);
      await isLeft(limits, '2001:db8:1:0::/64', 10);
      await isLeft(limits, A, 10);
    });

    test('is never exceeded by concurrent reservations', async () => {
      const { quota } = await open({ totalBytes: 1_000, ownerBytes: 700 });
      const results = await Promise.allSettled(
        Array.from({ length: 60 }, (_, index) => store(quota, index % 2 ? A : B, 37, soon())),
      );
      const kept = results.filter(({ status }) => status === 'fulfilled').length;
      expect(kept).toBe(Math.floor(1_000 / 37));
    });
  });

  describe(`${name}, over what is stored`, () => {
    test('counts it at the start, until a sweep has removed what has expired', async () => {
      const listed = new ListedFiles();
      listed.add(A, 40, soon());
      listed.add(A, 20, Date.now() - 1);
      const limits = await open({ storage: listed.storage });
      await isLeft(limits, A, 0);
      expect(limits.quota.stored()).toEqual({ bytes: 60, files: 2 });
      limits.quota.expire(Date.now());
      await isLeft(limits, A, 20);
      limits.quota.expire(Date.now() + 2 * HOUR, () => true);
      await limits.quota.reserve(B);
      await isLeft(limits, A, 20);
      limits.quota.expire(Date.now() + 2 * HOUR);
      await isLeft(limits, A, 60);
    });

    test('counts uploads that may be continued, with what has arrived', async () => {
      const listed = new ListedFiles();
      const [upload] = [listed.add(A, 40, soon())];
      const resumable = { ...listed.storage.resumable, usage: listed.storage.usage };
      const limits = await open({ storage: { ...listed.storage, usage: async function* () {}, resumable } });
      await isLeft(limits, A, 20);
      limits.quota.release(upload.id);
      await isLeft(limits, A, 60);
    });

    test('does not count what is removed while it is listed, whichever process has stored it', async () => {
      const listed = new ListedFiles();
      const [early, late] = [listed.add(A, 10, soon()), listed.add(A, 20, soon())];
      listed.add(A, 5, soon());
      const goOn = Promise.withResolvers<void>();
      listed.onListed = () => goOn.promise;
      const limits = await open({ storage: listed.storage });
      limits.quota.release(early.id);
      limits.quota.release(late.id);
      goOn.resolve();
      await isLeft(limits, A, 55);
    });

    test('counts it again from the beginning when the storage fails, and reports that', async () => {
      const listed = new ListedFiles();
      listed.add(A, 10, soon());
      listed.add(A, 20, soon());
      listed.errors = [new Error('away'), new Error('away')];
      const reports: unknown[] = [];
      const limits = await open({ storage: listed.storage, report: (event) => void reports.push(event) });
      await isLeft(limits, A, 30);
      expect(listed.listings).toBe(3);
      expect(reports).toEqual(
        Array(2).fill({ type: 'store-failed', doing: 'counting what is stored', error: expect.any(Error) }),
      );
    });
  });
}
