import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openExpiryFolders, removeFile } from '../../../../src/uploads/storage/disk/expiry-folders.ts';
import { fileHandleMethods } from '../../../support/file-handles.ts';
import { temporaryFolder } from '../../../support/service.ts';
import { HOUR_MS, newId } from '../../../support/uploads.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const HOUR = '2026-08-15T21';

let root: string;
let folders: ReturnType<typeof openExpiryFolders>;

beforeEach(async () => {
  root = await temporaryFolder(onTestFinished);
  folders = openExpiryFolders(root);
});

/** Publishes a file; resolves with its id. */
async function add(expiresAt: number): Promise<string> {
  const id = newId(expiresAt);
  await writeFile(join(root, 'staged'), id);
  await folders.moveIntoPlace(join(root, 'staged'), id);
  return id;
}

async function listed(): Promise<{ id: string; path: string }[]> {
  const files: { id: string; path: string }[] = [];
  for await (const file of folders.files()) files.push(file);
  return files;
}

async function failFlushes() {
  const spy = vi.spyOn(await fileHandleMethods(), 'sync').mockRejectedValue(new Error('EIO'));
  onTestFinished(() => spy.mockRestore());
}

test('a file has a path in the hour of its expiry, and a malformed id has none', () => {
  const id = newId(NOW);
  expect(folders.pathOf(id)).toBe(join(root, HOUR, id));
  expect(folders.pathOf('../x')).toBeUndefined();
});

describe('a staged file', () => {
  test('is moved to its hour, whose folder is created when it is missing', async () => {
    for (let count = 1; count <= 2; count += 1) {
      const id = await add(NOW);
      expect(await readFile(join(root, HOUR, id), 'utf8')).toBe(id);
      expect(await readdir(join(root, HOUR))).toHaveLength(count);
    }
    expect(await readdir(root)).toEqual([HOUR]);
  });

  test('that is missing cannot be moved', async () => {
    const move = folders.moveIntoPlace(join(root, 'gone'), newId(NOW));
    await expect(move).rejects.toThrow('ENOENT');
  });

  test('is at its staged path again when its new folder cannot be flushed', async () => {
    await add(NOW);
    await writeFile(join(root, 'staged'), 'again');
    await failFlushes();
    await expect(folders.moveIntoPlace(join(root, 'staged'), newId(NOW))).rejects.toThrow('EIO');
    expect(await readFile(join(root, 'staged'), 'utf8')).toBe('again');
    expect(await readdir(join(root, HOUR))).toHaveLength(1);
  });

  test('is moved with a flush of its folder, and of the root when the hour is new', async () => {
    const sync = vi.spyOn(await fileHandleMethods(), 'sync');
    onTestFinished(() => sync.mockRestore());
    await add(NOW);
    expect(sync).toHaveBeenCalledTimes(2);
    await add(NOW);
    expect(sync).toHaveBeenCalledTimes(3);
  });
});

describe('a removal', () => {
  test('says whether there was a file', async () => {
    const [id, other] = [await add(NOW), await add(NOW)];
    expect(await folders.remove(id)).toBe(true);
    expect(await folders.remove(id)).toBe(false);
    expect(await folders.remove(newId(NOW + HOUR_MS))).toBe(false);
    expect(await folders.remove('../x')).toBe(false);
    expect(await readdir(join(root, HOUR))).toEqual([other]);
  });

  test('resolves once its folder is flushed', async () => {
    const id = await add(NOW);
    await failFlushes();
    await expect(folders.remove(id)).rejects.toThrow('EIO');
  });

  test('of a folder fails, and of a missing file succeeds', async () => {
    await expect(removeFile(root)).rejects.toThrow();
    expect(await removeFile(join(root, 'gone'))).toBe(false);
  });
});

describe('a listing', () => {
  test('has the files of all hours with their paths, and nothing else', async () => {
    const ids = [await add(NOW), await add(NOW + HOUR_MS)];
    await mkdir(join(root, 'staging'));
    for (const stray of [join('staging', newId(NOW)), join(HOUR, 'stray')])
      await writeFile(join(root, stray), '');
    expect((await listed()).map(({ id }) => id).sort()).toEqual(ids.sort());
    for (const { id, path } of await listed()) expect(path).toBe(folders.pathOf(id));
  });

  test('skips an hour that is swept meanwhile, and fails on an hour that is not a folder', async () => {
    await add(NOW);
    await add(NOW + HOUR_MS);
    const files = folders.files();
    await files.next();
    await rm(join(root, '2026-08-15T22'), { recursive: true });
    await rm(join(root, HOUR), { recursive: true });
    expect(await files.next()).toMatchObject({ done: true });
    await writeFile(join(root, HOUR), '');
    await expect(listed()).rejects.toThrow('ENOTDIR');
  });
});

describe('a sweep', () => {
  test('removes what has expired by the millisecond, counts it, and keeps the rest', async () => {
    for (const expiresAt of [NOW - HOUR_MS, NOW]) await add(expiresAt);
    const [soon, later] = [await add(NOW + 1), await add(NOW + HOUR_MS)];
    await writeFile(join(root, HOUR, 'stray'), '');
    expect(await folders.sweep(NOW)).toBe(2);
    expect((await listed()).map(({ id }) => id).sort()).toEqual([soon, later].sort());
    expect(await readdir(root)).toEqual([HOUR, '2026-08-15T22']);
    expect(await folders.sweep(NOW)).toBe(0);
  });

  test('does not read the folders of later hours', async () => {
    await add(NOW + HOUR_MS);
    await writeFile(join(root, '2026-08-15T22', newId(NOW - 1)), '');
    expect(await folders.sweep(NOW)).toBe(0);
    expect(await listed()).toHaveLength(2);
  });

  test('removes the folder of an hour that is over with whatever is in it', async () => {
    await add(NOW);
    await writeFile(join(root, HOUR, 'stray'), '');
    expect(await folders.sweep(NOW + HOUR_MS)).toBe(1);
    expect(await readdir(root)).toEqual([]);
  });
});
