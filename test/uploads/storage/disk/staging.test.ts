import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openStaging } from '../../../../src/uploads/storage/disk/staging.ts';
import { temporaryFolder } from '../../../support/service.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');

let root: string;
let now: number;
let staging: Awaited<ReturnType<typeof openStaging>>;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  root = join(await temporaryFolder(onTestFinished), 'a', 'staging');
  now = NOW;
  staging = await openStaging(root, () => now);
});

afterEach(async () => {
  await staging.close();
  vi.useRealTimers();
});

/** The folder of another process, with two staged uploads, that was last touched at this time. */
async function addOther(touchedAt: number): Promise<string> {
  const folder = join(root, `4711-${touchedAt}`);
  await mkdir(folder);
  for (const name of ['1', '2']) await writeFile(join(folder, name), '');
  await utimes(folder, touchedAt / 1_000, touchedAt / 1_000);
  return folder;
}

describe('a process', () => {
  test('has a folder of its own, in which each staged upload has another path', async () => {
    const [one, other] = [staging.nextPath(), staging.nextPath()];
    expect([basename(one), basename(other)]).toEqual(['1', '2']);
    expect(dirname(one)).toBe(dirname(other));
    const [own = ''] = await readdir(root);
    expect(dirname(one)).toBe(join(root, own));
    expect(own).toMatch(new RegExp(`^${process.pid}-.{6}$`, 'u'));
    const second = await openStaging(root, () => now);
    expect(await readdir(root)).toHaveLength(2);
    await second.close();
  });

  test('touches its folder every five seconds, and creates it again', async () => {
    const own = dirname(staging.nextPath());
    const touchedAt = async () => (await stat(own)).mtimeMs;
    expect(await touchedAt()).toBe(NOW);
    await rm(own, { recursive: true });
    now += 60_000;
    vi.advanceTimersByTime(4_999);
    await expect(touchedAt()).rejects.toThrow('ENOENT');
    vi.advanceTimersByTime(1);
    await expect.poll(() => touchedAt().catch(() => undefined)).toBe(now);
  });

  test('removes its folder at its end, and touches it no more', async () => {
    await writeFile(staging.nextPath(), '');
    await staging.close();
    expect(await readdir(root)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    await staging.close();
  });
});

describe('another process', () => {
  test('lives while its folder was touched in the last 20 seconds', async () => {
    expect(await staging.hasOthers(NOW + 60_000)).toBe(false);
    await writeFile(join(root, 'stray'), '');
    expect(await staging.hasOthers(NOW)).toBe(false);
    await addOther(NOW - 20_001);
    expect(await staging.hasOthers(NOW)).toBe(false);
    await addOther(NOW - 20_000);
    expect(await staging.hasOthers(NOW)).toBe(true);
  });

  test('that is dead loses its staged uploads, which are counted, and one that lives keeps them', async () => {
    await addOther(NOW - 20_001);
    const living = await addOther(NOW - 20_000);
    await writeFile(join(root, 'stray'), '');
    await utimes(join(root, 'stray'), 0, 0);
    const own = dirname(staging.nextPath());
    expect(await staging.sweep(NOW)).toBe(2);
    expect((await readdir(root)).sort()).toEqual([basename(living), basename(own), 'stray'].sort());
    expect(await readdir(living)).toHaveLength(2);
    expect(await staging.sweep(NOW + 60_000)).toBe(2);
    expect((await readdir(root)).sort()).toEqual([basename(own), 'stray'].sort());
  });
});
