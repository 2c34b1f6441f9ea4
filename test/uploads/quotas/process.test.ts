import { describe, expect, onTestFinished, test } from 'vitest';
import type { QuotaOptions } from '../../../src/uploads/quota.ts';
import { openProcessQuota } from '../../../src/uploads/quotas/process.ts';
import { quotaContract } from '../../contracts/quota.ts';
import { ListedFiles, quotaOptions, store } from '../../support/quota.ts';
import { eventually } from '../../support/service.ts';
import { newId } from '../../support/uploads.ts';

const HOUR = 3_600_000;
const FULL = expect.objectContaining({ code: 'storage-full' });
const soon = () => Date.now() + HOUR;

async function open(more: Partial<QuotaOptions> = {}, retryMs?: number) {
  const quota = await openProcessQuota(quotaOptions(more), retryMs);
  onTestFinished(() => quota.close());
  return quota;
}

quotaContract('the quota of a process', open);

test('`stored` includes reserved bytes', async () => {
  const quota = await open();
  await store(quota, 'a', 10, soon());
  await quota.reserve('a', 5);
  expect(quota.stored()).toEqual({ bytes: 15, files: 1 });
});

test('a file of this process is released whenever it was uploaded', async () => {
  const quota = await open();
  const own = await store(quota, 'a', 10, soon());
  quota.forget({ ...own, uploadedAt: Date.now() + HOUR });
  expect(quota.stored()).toEqual({ bytes: 0, files: 0 });
});

describe('a file in place of a counted upload', () => {
  test('counts as large as it is', async () => {
    const quota = await open();
    const upload = await store(quota, 'a', 40, soon());
    let countedAtPublishing: unknown;
    await quota.replace(upload, newId(soon()), 30, async () => {
      countedAtPublishing = quota.stored();
    });
    expect([countedAtPublishing, quota.stored()]).toEqual(Array(2).fill({ bytes: 30, files: 1 }));
  });

  test('leaves the upload counted when it cannot be published', async () => {
    const quota = await open();
    const upload = await store(quota, 'a', 40, soon());
    const publish = () => Promise.reject(new Error('no disk'));
    await expect(quota.replace(upload, newId(soon()), 30, publish)).rejects.toThrow('no disk');
    expect(quota.stored()).toEqual({ bytes: 40, files: 1 });
  });
});

/** A quota over files that others list; time passes only when it is told to. */
async function openListed(listed: ListedFiles, more: Partial<QuotaOptions> = {}, retryMs?: number) {
  let nowMs = 0;
  const reports: unknown[] = [];
  const report = (event: unknown) => void reports.push(event);
  const { storage } = listed;
  const quota = await open({ storage, elapsedMs: () => nowMs, report, ...more }, retryMs);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  const counts = (bytes: number) =>
    eventually(
      async () => quota.stored().bytes,
      (sum) => sum === bytes,
    );
  return { quota, pass, counts, reports };
}

describe('at the start', () => {
  test('stored files count until they expire, and expired ones do not', async () => {
    const listed = new ListedFiles();
    listed.add('a', 40, soon());
    listed.add('a', 20, Date.now() - 1);
    const { quota, counts } = await openListed(listed);
    await counts(40);
    expect(quota.stored().files).toBe(1);
    quota.expire(Date.now() + 2 * HOUR);
    expect(quota.stored()).toEqual({ bytes: 0, files: 0 });
  });

  test('a removed file of another process is released only if it has been counted', async () => {
    const listed = new ListedFiles();
    const counted = listed.add('a', 10, soon());
    const { quota, counts } = await openListed(listed);
    await counts(10);
    const later = { ...counted, id: newId(soon()), uploadedAt: Date.now() + HOUR };
    quota.forget(later, { isOwn: false });
    expect(quota.stored()).toEqual({ bytes: 10, files: 1 });
    quota.forget(counted, { isOwn: false });
    expect(quota.stored()).toEqual({ bytes: 0, files: 0 });
  });

  test('a file that was removed before the count is not released', async () => {
    const listed = new ListedFiles();
    const counted = listed.add('a', 10, soon());
    const removedAt = Date.now() - 1;
    const { quota, counts } = await openListed(listed);
    await counts(10);
    const removed = { ...counted, id: newId(soon()) };
    quota.forget(removed, { isOwn: false, removedAt });
    expect(quota.stored()).toEqual({ bytes: 10, files: 1 });
  });

  test('a count that fails is reported, and repeated from the beginning without counting a file twice', async () => {
    const listed = new ListedFiles();
    listed.add('a', 10, soon());
    listed.add('a', 20, soon());
    listed.errors = [new Error('away'), new Error('away')];
    const { counts, reports } = await openListed(listed, {}, 5);
    await counts(30);
    expect(listed.listings).toBe(3);
    expect(reports).toEqual(
      Array(2).fill({ type: 'store-failed', doing: expect.any(String), error: expect.any(Error) }),
    );
  });

  test('files that are added or removed during the count are counted correctly', async () => {
    const listed = new ListedFiles();
    const [first, second] = [listed.add('a', 10, soon()), listed.add('a', 20, soon())];
    const { promise: halted, resolve: goOn } = Promise.withResolvers<void>();
    const storage = {
      ...listed.storage,
      async *usage() {
        yield first;
        await halted;
        yield second;
      },
    };
    const quota = await open({ storage });
    await new Promise((listing) => setImmediate(listing));
    quota.forget(first);
    quota.forget(second);
    await store(quota, 'b', 5, soon());
    goOn();
    await eventually(
      async () => quota.stored(),
      ({ files }) => files === 1,
    );
    expect(quota.stored().bytes).toBe(5);
  });
});

describe('where other processes share the storage', () => {
  async function openShared() {
    const listed = new ListedFiles();
    listed.shared = true;
    const opened = await openListed(listed, { totalBytes: 100, ownerBytes: 100 });
    await eventually(
      async () => listed.listings,
      (count) => count === 1,
    );
    return { listed, ...opened };
  }

  test('a file that does not fit beside theirs is refused', async () => {
    const { listed, quota, pass } = await openShared();
    const reservation = await quota.reserve('a', 60);
    listed.add('b', 50, soon());
    pass(1);
    const publish = () => Promise.reject(new Error('published'));
    await expect(reservation.keep(newId(soon()), 60, publish)).rejects.toEqual(FULL);
    expect(listed.listings).toBe(2);
  });

  test('a file that needs more than half of the space is published where it fits', async () => {
    const { listed, quota, pass } = await openShared();
    const reservation = await quota.reserve('a', 60);
    pass(1);
    await reservation.keep(newId(soon()), 60, async () => {});
    expect(listed.listings).toBe(2);
    expect(quota.stored()).toEqual({ bytes: 60, files: 1 });
  });

  test('a file is refused at once while 64 wait for the storage to be listed', async () => {
    const { promise: halted, resolve: goOn } = Promise.withResolvers<void>();
    const listed = new ListedFiles();
    listed.shared = true;
    const storage = {
      ...listed.storage,
      async *usage() {
        await halted;
        yield* listed.storage.usage();
      },
    };
    const quota = await open({ storage, totalBytes: 1_000, ownerBytes: 1_000 });
    // The count at the start is the first to wait.
    const storing = Promise.allSettled(Array.from({ length: 64 }, () => store(quota, 'a', 1, soon())));
    await new Promise((waiting) => setImmediate(waiting));
    goOn();
    const refusals = (await storing).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refusals).toEqual([
      expect.objectContaining({
        code: 'overloaded',
        message: expect.stringContaining('many files wait to be counted'),
        retryAfterMs: 5_000,
      }),
    ]);
    await store(quota, 'a', 1, soon());
  });

  test('near the limit, files are published one after the other, each after a new listing', async () => {
    const { listed, quota, pass } = await openShared();
    pass(1);
    let atOnce = 0;
    let most = 0;
    const publish = async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((turn) => setImmediate(turn));
      pass(1);
      atOnce -= 1;
    };
    const reservations = await Promise.all(['a', 'b', 'c'].map(async (owner) => quota.reserve(owner, 10)));
    await Promise.all(reservations.map((one) => one.keep(newId(soon()), 10, publish)));
    expect(most).toBe(1);
    expect(listed.listings).toBe(4);
  });

  test('a file that is being published while the storage is listed stays counted', async () => {
    const { listed, quota, pass } = await openShared();
    const { promise: shown, resolve: show } = Promise.withResolvers<void>();
    const reservation = await quota.reserve('a', 10);
    const keeping = reservation.keep(newId(soon()), 10, () => shown);
    pass(1);
    await store(quota, 'b', 5, soon());
    expect(listed.listings).toBe(2);
    show();
    await keeping;
    reservation.release();
    expect(quota.stored()).toEqual({ bytes: 15, files: 2 });
  });

  test('the storage is not listed while they cannot have used up the space left', async () => {
    const listed = new ListedFiles();
    listed.shared = true;
    const { quota, pass } = await openListed(listed, { totalBytes: 2e9, ownerBytes: 2e9 });
    await eventually(
      async () => listed.listings,
      (count) => count === 1,
    );
    pass(1_900);
    await store(quota, 'a', 10, soon());
    expect(listed.listings).toBe(1);
    pass(200);
    await store(quota, 'a', 10, soon());
    expect(listed.listings).toBe(2);
    pass(600);
    await store(quota, 'a', 1_500_000_000, soon());
    expect(listed.listings, 'a large file leaves little space').toBe(3);
  });

  test('files that are refused at the same time lead to one listing', async () => {
    const { listed, quota, pass } = await openShared();
    await quota.reserve('a', 100);
    pass(5_001);
    await Promise.allSettled([1, 2, 3].map(async () => quota.reserve('b', 1)));
    expect(listed.listings).toBe(2);
    pass(5_000);
    await expect(quota.reserve('b', 1)).rejects.toEqual(FULL);
    expect(listed.listings, 'and to none within five seconds').toBe(2);
  });

  test('the space of files that they remove is free within five seconds', async () => {
    const { listed, quota, pass } = await openShared();
    listed.add('b', 100, soon());
    pass(5_001);
    await expect(store(quota, 'a', 10, soon())).rejects.toEqual(FULL);
    listed.files = [];
    await expect(store(quota, 'a', 10, soon())).rejects.toEqual(FULL);
    pass(5_001);
    await store(quota, 'a', 10, soon());
  });
});
