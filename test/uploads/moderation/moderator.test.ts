import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createModerator, type Moderator } from '../../../src/uploads/moderation/moderator.ts';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import type { Storage } from '../../../src/uploads/storage.ts';
import { temporaryFolder } from '../../support/service.ts';
import { HOUR_MS, keep, sha256, usageOf } from '../../support/uploads.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const OPERATOR = { reason: 'operator', blocks: false } as const;

let now: number;
let storage: Storage;
let moderator: Moderator;

beforeEach(async () => {
  now = NOW;
  storage = await openDiskStorage(await temporaryFolder(onTestFinished));
  moderator = createModerator(storage, () => now);
});

afterEach(() => storage.close());

const keepFile = (details: object = {}, bytes = randomBytes(10)) =>
  keep(storage, bytes, NOW + HOUR_MS, { uploadedAt: NOW, ...details });

describe('a removal', () => {
  test('can block the bytes, also of a file that was removed earlier', async () => {
    const bytes = randomBytes(10);
    const id = await keepFile({}, bytes);
    await moderator.remove(id, OPERATOR);
    expect(await moderator.blocked()).toEqual([]);
    await moderator.remove(id, { ...OPERATOR, blocks: true });
    expect(await moderator.blocked()).toEqual([`sha256:${sha256(bytes)}`]);
  });

  test.each(['put', 'remove'] as const)(
    'that fails at its %s leaves the file as it was, and can be repeated',
    async (step) => {
      const id = await keepFile();
      const fail = () => Promise.reject(new Error('the disk is on fire'));
      const broken = step === 'put' ? { records: { ...storage.records, put: fail } } : { remove: fail };
      const failing = createModerator({ ...storage, ...broken }, () => now);
      await expect(failing.remove(id, OPERATOR)).rejects.toThrow('on fire');
      expect((await usageOf(storage)).map((usage) => usage.id)).toEqual([id]);
      await moderator.remove(id, OPERATOR);
      expect(await usageOf(storage)).toEqual([]);
    },
  );
});

describe('blocks', () => {
  test('are 10,000 at most', async () => {
    const entries = Array.from({ length: 10_001 }, (_, i) => `address:10.0.${i >> 8}.${i & 255}/32`);
    await expect(moderator.block(entries)).rejects.toThrow('there may be 10000 blocks, and there are 0');
    expect(await moderator.blocked()).toEqual([]);
  });
});
