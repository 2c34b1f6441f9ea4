import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { describe, expect, test } from 'vitest';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { RemovedFileError } from '../../../src/uploads/storage.ts';
import { refuse } from '../../support/s3.ts';
import { useFakeBucket } from '../../support/s3-storage.ts';
import { HOUR_MS, keep, streamOf, usageOf } from '../../support/uploads.ts';

const MB = 1024 * 1024;
const MARK = { reason: 'legal', removedAt: 1_700_000_000_000, sha256: 'ab'.repeat(32) } as const;

const bucket = useFakeBucket();
const { open, keys } = bucket;

test('a withdrawal leaves one object of the file, the mark, and a sweep after its expiry none', async () => {
  const storage = await open();
  const expiresAt = Date.now() + HOUR_MS;
  const id = await keep(storage, randomBytes(6 * MB), expiresAt);
  expect(keys()).toHaveLength(3);
  await storage.remove(id, MARK);
  expect(keys()).toEqual([expect.stringMatching(new RegExp(`/${id}$`, 'u'))]);
  expect(
    String(bucket.s3.memory.objects.get(bucket.s3.keys().find((key) => key.endsWith(id))!)?.bytes),
  ).not.toContain('203.0.113.7');
  await storage.sweep(expiresAt);
  expect(keys()).toEqual([]);
});

/** Refuses deletions from the one with this number on. */
function failFrom(first: number): void {
  let deletions = 0;
  bucket.s3.fault = (ctx) => {
    deletions += Number(ctx.method === 'DELETE');
    return ctx.method === 'DELETE' && deletions >= first ? refuse(ctx, 403, 'AccessDenied') : false;
  };
}

test('what a withdrawal cannot remove is removed by another one, or by the next sweep', async () => {
  const storage = await open();
  const expiresAt = Date.now() + HOUR_MS;
  const ids = [
    await keep(storage, randomBytes(MB), expiresAt),
    await keep(storage, randomBytes(MB), expiresAt),
  ];
  failFrom(1);
  for (const id of ids) {
    expect(await storage.remove(id, { ...MARK, reason: 'operator' })).toBe(true);
    await expect(storage.open(id)).rejects.toMatchObject({ code: 'removed' });
  }
  bucket.s3.fault = undefined;
  // The notes of both removals count too.
  expect(keys()).toHaveLength(8);
  await storage.remove(ids[0]!, MARK);
  expect(keys()).toHaveLength(5);
  expect((await storage.sweep(Date.now())).removed).toEqual([ids[1]]);
  expect(keys()).toHaveLength(2);
  await expect(storage.open(ids[0]!)).rejects.toMatchObject({ code: 'removed-legally' });
  expect(await usageOf(storage)).toEqual([]);
  await storage.sweep(expiresAt);
  expect(keys()).toEqual([]);
});

describe('a removal', () => {
  test.each([1, 2, 3, 4])('whose step %i fails is finished by the sweep of another process', async (step) => {
    const storage = await open();
    const id = await keep(storage, randomBytes(MB), Date.now() + HOUR_MS);
    failFrom(step);
    expect(await storage.remove(id).catch(() => false)).toBe(step > 1);
    expect((await usageOf(storage)).length).toBe(step > 1 ? 0 : 1);
    bucket.s3.fault = undefined;
    expect((await (await open()).sweep(Date.now())).removed).toEqual([id]);
    expect(keys()).toEqual([]);
  });
});

test.each([10, MB, 6 * MB])(
  'what a publication of %i bytes leaves that failed while S3 was away is removed by the next sweep',
  async (size) => {
    const storage = await open();
    let isAway = false;
    bucket.s3.fault = (ctx) => {
      // The last object of a publication: the summary of a small file, the description of a large one.
      isAway ||= size === 10 ? /\.\w+\.\w+\.\w+$/u.test(ctx.path) : /T\d\d\/[^.]*$/u.test(ctx.path);
      return isAway ? refuse(ctx, 403, 'AccessDenied') : false;
    };
    await expect(keep(storage, randomBytes(size), Date.now() + HOUR_MS)).rejects.toMatchObject({
      code: 'storage-down',
    });
    bucket.s3.fault = undefined;
    expect(keys()).not.toEqual([]);
    await storage.sweep(Date.now());
    expect(keys()).toEqual([]);
  },
);

describe('where S3 refuses something for ever', () => {
  const EXPIRED = () => Date.now() - 1_000;

  test.each([
    ['lists of unfinished uploads', ({ method, query }) => method === 'GET' && query.uploads !== undefined],
    ['heartbeats', ({ query }) => String(query.prefix).endsWith('/alive/')],
    ['notes of removals', ({ query }) => String(query.prefix).endsWith('/removing/')],
  ] satisfies [string, (ctx: Context) => boolean][])(
    'a sweep removes what has expired (%s)',
    async (_, is) => {
      const storage = await open();
      await keep(storage, randomBytes(10), EXPIRED());
      bucket.s3.fault = (ctx) => (is(ctx) ? refuse(ctx, 403, 'AccessDenied') : false);
      const failures = new Map();
      expect(await storage.sweep(Date.now(), failures)).toMatchObject({ files: 1 });
      expect(keys()).toEqual([]);
      expect(failures.size).toBe(1);
    },
  );

  test('a file that cannot be removed stays noted, and holds up no other', async () => {
    const storage = await open();
    const [stuck, ...others] = [
      await keep(storage, randomBytes(10), EXPIRED() - 2 * HOUR_MS),
      await keep(storage, randomBytes(MB), EXPIRED() - 2 * HOUR_MS),
      await keep(storage, randomBytes(10), EXPIRED()),
    ];
    const withdrawn = await keep(storage, randomBytes(10), Date.now() + HOUR_MS);
    failFrom(1);
    await storage.remove(withdrawn, MARK);
    bucket.s3.fault = (ctx) =>
      ctx.method === 'DELETE' && [stuck, withdrawn].some((id) => ctx.path.includes(id!))
        ? refuse(ctx, 403, 'AccessDenied')
        : false;
    const failures = new Map();
    expect(await storage.sweep(Date.now(), failures)).toMatchObject({ files: 2, removed: [] });
    for (const id of others) expect(keys().join()).not.toContain(id);
    expect([...failures.keys()].join()).toMatch(new RegExp(`removing/${withdrawn}.*${stuck}`, 'u'));
  });

  test.each([10, MB])(
    'a file of %i bytes whose description is damaged is removed with all that is beside it',
    async (size) => {
      const storage = await open();
      const id = await keep(storage, randomBytes(size), Date.now() + HOUR_MS);
      const description = bucket.s3.keys().find((key) => key.endsWith(id))!;
      bucket.s3.memory.objects.get(description)!.bytes = Buffer.from('{');
      await expect(storage.open(id)).rejects.toThrow(SyntaxError);
      expect(await storage.remove(id, MARK)).toBe(true);
      await expect(storage.open(id)).rejects.toThrow(RemovedFileError);
      expect(bucket.s3.keys().filter((key) => !key.includes('/alive/'))).toEqual([description]);
    },
  );

  test('a description that is damaged is counted for an unknown owner, and the others as ever', async () => {
    const storage = await open();
    const [damaged, whole] = [
      await keep(storage, randomBytes(10), Date.now() + HOUR_MS),
      await keep(storage, randomBytes(10), Date.now() + HOUR_MS),
    ];
    for (const key of bucket.s3.keys().filter((one) => one.includes(damaged))) {
      if (key.endsWith(damaged)) bucket.s3.memory.objects.get(key)!.bytes = Buffer.from('{');
      else bucket.s3.memory.objects.delete(key);
    }
    const owners = (await usageOf(storage)).map(({ id, owner }) => [id, owner]);
    expect(Object.fromEntries(owners)).toEqual({ [damaged]: '', [whole]: '203.0.113.7' });
  });
});

describe('a process that dies', () => {
  /** Publishes a file with a process that dies before it writes the object whose key matches. */
  async function dieBefore(last: RegExp, size: number): Promise<void> {
    let isDead = false;
    bucket.s3.fault = (ctx) => {
      isDead ||= ctx.method === 'PUT' && last.test(ctx.path);
      return isDead ? new Promise(() => {}) : false;
    };
    // It is never closed, because what it repeats then would meet the next test.
    const storage = await openS3Storage(bucket.url);
    void keep(storage, randomBytes(size), Date.now() + HOUR_MS).catch(() => {});
    await expect.poll(() => isDead).toBe(true);
    bucket.s3.fault = undefined;
  }

  test.each([MB, 6 * MB])(
    'between the %i bytes of a file and its description leaves nothing a minute after the start of the next',
    async (size) => {
      await dieBefore(/T\d\d\/[^.]*$/u, size);
      expect(keys().filter((key) => key.startsWith('bytes/'))).toHaveLength(1);
      const storage = await open();
      const now = Date.now();
      expect(await usageOf(storage)).toEqual([]);
      for (const at of [now, now + 25_000]) await storage.sweep(at);
      expect([...keys(), ...bucket.s3.unfinished()]).toEqual([]);
    },
  );

  test('after the description of a small file leaves one that is whole, counted and swept', async () => {
    await dieBefore(/\.\w+\.\w+\.\w+$/u, 10);
    const storage = await open();
    for (const _ of [1, 2])
      expect(await usageOf(storage)).toMatchObject([{ owner: '203.0.113.7', size: 4160 }]);
    expect(keys()).toHaveLength(2);
    await storage.sweep(Date.now() + HOUR_MS);
    expect(keys()).toEqual([]);
  });

  test('while its file is being read by the scanner leaves nothing', async () => {
    const storage = await open();
    const staged = await storage.stage(streamOf(randomBytes(6 * MB)));
    for await (const _ of staged.read()) break;
    expect(keys().filter((key) => key.startsWith('bytes/'))).toHaveLength(1);
    const other = await open();
    const now = Date.now();
    for (const at of [now, now + 25_000]) await other.sweep(at);
    expect(keys()).toEqual([]);
  });
});
