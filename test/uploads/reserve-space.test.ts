import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Quota } from '../../src/uploads/quota.ts';
import { createSpaceReserver } from '../../src/uploads/reserve-space.ts';
import { openQuota } from '../support/quota.ts';
import { openFakeStorage } from '../support/staging.ts';
import { newId } from '../support/uploads.ts';

const KB = 1024;
const MB = 1024 * KB;
const MIN_FREE_BYTES = 64 * MB;
const FULL = { code: 'storage-full', message: 'the store is full; try again later' };

let fake: ReturnType<typeof openFakeStorage>;
let quota: Quota;
let reserve: ReturnType<typeof createSpaceReserver>;

beforeEach(async () => {
  fake = openFakeStorage(() => 0);
  quota = await openQuota({ totalBytes: 1_000 * MB, ownerBytes: 1_000 * MB });
  reserve = createSpaceReserver({ storage: fake.storage, quota });
});

const reserved = () => quota.stored().bytes;
const publish = async () => {};

/** A quota in another process: its answers take a while. */
const remote = (): Pick<Quota, 'reserve'> => ({
  async reserve(...args) {
    const reservation = await quota.reserve(...args);
    return {
      ...reservation,
      async grow(...sizes) {
        await new Promise((turn) => setImmediate(turn));
        await reservation.grow(...sizes);
      },
    };
  },
});

describe('in the quota', () => {
  test('64 KB are reserved before any byte has arrived, or what was declared if that is less', async () => {
    await reserve('a');
    expect(reserved()).toBe(64 * KB);
    await reserve('a', 100 * MB);
    expect(reserved()).toBe(128 * KB);
    await reserve('a', KB);
    expect(reserved()).toBe(129 * KB);
  });

  test('the declared size has to fit, without the envelope', async () => {
    await expect(reserve('a', 1_001 * MB)).rejects.toMatchObject({ code: 'storage-full' });
    await expect(reserve('a', 1_001 * MB, MB - 1)).rejects.toMatchObject({ code: 'storage-full' });
    await reserve('a', 1_001 * MB, MB);
    await reserve('a', KB, 2 * KB);
  });

  test('a reservation grows by a megabyte ahead of what has arrived, and not beyond what was declared', async () => {
    const space = await reserve('a', 3 * MB);
    await space.grow(64 * KB);
    expect(reserved()).toBe(64 * KB);
    await space.grow(65 * KB);
    expect(reserved()).toBe(MB + 65 * KB);
    await space.grow(MB + 65 * KB);
    expect(reserved()).toBe(MB + 65 * KB);
    await space.grow(2.5 * MB);
    expect(reserved()).toBe(3 * MB);
    await space.grow(3 * MB + 1);
    expect(reserved()).toBe(3 * MB + 1);
  });

  test('nothing is left after a release, and nothing grows any more', async () => {
    const space = await reserve('a', 3 * MB);
    space.release();
    space.release();
    expect(space.grow(2 * MB)).toBeUndefined();
    expect(reserved()).toBe(0);
  });

  test('a kept reservation counts as the file, and cannot be released', async () => {
    const space = await reserve('a', 3 * MB);
    await space.grow(MB);
    await space.keep(newId(Date.now() + 60_000), 4 * KB, publish);
    expect(space.grow(3 * MB)).toBeUndefined();
    space.release();
    expect(quota.stored()).toEqual({ files: 1, bytes: 4 * KB });
  });

  test('a reservation grows to the size of the file before that is published', async () => {
    const space = await reserve('a', KB);
    await space.keep(newId(Date.now() + 60_000), 4 * KB, async () => expect(reserved()).toBe(4 * KB));
    const other = await reserve('a', KB);
    const published = vi.fn(publish);
    const kept = other.keep(newId(Date.now() + 60_000), 1_001 * MB, published);
    await expect(kept).rejects.toMatchObject({ code: 'storage-full' });
    expect(published).not.toHaveBeenCalled();
  });
});

describe('on the disk', () => {
  test('64 MB stay free, with what is declared and with what others have reserved', async () => {
    fake.free = MIN_FREE_BYTES + 10 * MB;
    await expect(reserve('a', 10 * MB)).rejects.toMatchObject(FULL);
    expect(reserved()).toBe(0);
    const space = await reserve('a', 10 * MB - 1);
    await expect(reserve('b', 10 * MB - 64 * KB)).rejects.toMatchObject(FULL);
    await reserve('b', 10 * MB - 64 * KB - 1);
    space.release();
    expect(reserved()).toBe(64 * KB);
  });

  test('an upload of unknown size needs what it reserves', async () => {
    fake.free = MIN_FREE_BYTES + 64 * KB;
    await expect(reserve('a')).rejects.toMatchObject(FULL);
    fake.free += 1;
    await reserve('a');
  });

  test('bytes count as pending until they have arrived, except for those that may still be in memory', async () => {
    const space = await reserve('a', 20 * MB);
    await space.grow(10 * MB);
    // 11 MB are reserved; of the 10 MB that have arrived, a megabyte and 64 KB may be in memory.
    const pending = 11 * MB - (10 * MB - (MB + 64 * KB));
    fake.free = MIN_FREE_BYTES + pending + MB;
    await expect(reserve('b', MB)).rejects.toMatchObject(FULL);
    await reserve('b', MB - 1);
  });

  test('no bytes are pending once an upload is kept or released', async () => {
    for (const end of ['keep', 'release'] as const) {
      const space = await reserve('a', 20 * MB);
      await space.grow(10 * MB);
      if (end === 'keep') await space.keep(newId(Date.now() + 60_000), KB, publish);
      else space.release();
      fake.free = MIN_FREE_BYTES + 64 * KB + 1;
      (await reserve('b')).release();
      fake.free = Number.POSITIVE_INFINITY;
    }
  });

  test('an upload that may not grow releases all of its space, for others', async () => {
    const space = await reserve('a');
    fake.free = MIN_FREE_BYTES + MB;
    await expect(space.grow(65 * KB)).rejects.toMatchObject(FULL);
    expect(reserved()).toBe(0);
    expect(space.grow(2 * MB)).toBeUndefined();
    await reserve('b', MB - 1);
  });

  test('free space is read only when a reservation grows', async () => {
    const space = await reserve('a', 3 * MB);
    fake.free = 0;
    expect(space.grow(64 * KB)).toBeUndefined();
    await expect(space.grow(65 * KB)).rejects.toMatchObject(FULL);
  });

  test('a file that needs more than is free is not published', async () => {
    const space = await reserve('a', KB);
    fake.free = MIN_FREE_BYTES;
    const published = vi.fn(publish);
    await expect(space.keep(newId(Date.now() + 60_000), 4 * KB, published)).rejects.toMatchObject(FULL);
    expect(published).not.toHaveBeenCalled();
    expect(reserved()).toBe(0);
  });

  test('free space that cannot be read refuses the upload', async () => {
    const error = new Error('no disk');
    fake.storage.freeBytes = () => Promise.reject(error);
    await expect(reserve('a')).rejects.toBe(error);
    expect(reserved()).toBe(0);
  });
});

describe('with a quota that is shared by processes', () => {
  beforeEach(() => {
    reserve = createSpaceReserver({ storage: fake.storage, quota: remote() as Quota });
  });

  test('a reservation grows once the quota has answered, and free space is read then', async () => {
    const space = await reserve('a');
    fake.free = MIN_FREE_BYTES + MB;
    const growing = space.grow(65 * KB);
    expect(reserved()).toBe(64 * KB);
    await expect(growing).rejects.toMatchObject(FULL);
    expect(reserved()).toBe(0);
  });

  test('an answer that comes after the release changes nothing', async () => {
    const space = await reserve('a');
    const growing = space.grow(65 * KB);
    space.release();
    fake.free = MIN_FREE_BYTES + 64 * KB + 1;
    await growing;
    await reserve('b');
  });
});
