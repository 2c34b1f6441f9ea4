import { readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { StagedFile, writeFlushed } from '../../../../src/uploads/storage/disk/staged-file.ts';
import { fileHandleMethods } from '../../../support/file-handles.ts';
import { filesIn, heldIn } from '../../../support/files.ts';
import { temporaryFolder } from '../../../support/service.ts';

const KB = 1024;

let root: string;
let path: string;

beforeEach(async () => {
  root = await temporaryFolder(onTestFinished);
  path = join(root, '1');
});

describe('a staged file', () => {
  test('is created when more than 64 KB have come, and has all bytes and the footer at its end', async () => {
    const file = new StagedFile(path);
    await file.append(Buffer.alloc(64 * KB, 'a'));
    expect(await filesIn(root)).toEqual([]);
    await file.append(Buffer.alloc(600 * KB, 'b'));
    await file.append(Buffer.from('c'));
    await file.finish(Buffer.from('footer'));
    expect(await readFile(path, 'utf8')).toBe(`${'a'.repeat(64 * KB)}${'b'.repeat(600 * KB)}cfooter`);
    expect(await heldIn(root)).toEqual([]);
  });

  test('is written in batches of 512 KB after the first', async () => {
    const append = vi.spyOn(await fileHandleMethods(), 'appendFile');
    onTestFinished(() => append.mockRestore());
    const file = new StagedFile(path);
    for (let count = 0; count < 20; count += 1) await file.append(Buffer.alloc(64 * KB));
    await file.finish(Buffer.alloc(1));
    const sizes = append.mock.calls.map(([bytes]) => (bytes as Buffer).length);
    expect(sizes).toEqual([64 * KB, 512 * KB, 512 * KB, 192 * KB + 1]);
  });

  test('is flushed before it is closed', async () => {
    const flush = vi.spyOn(await fileHandleMethods(), 'datasync');
    onTestFinished(() => flush.mockRestore());
    await new StagedFile(path).finish(Buffer.from('footer'));
    expect(flush).toHaveBeenCalledTimes(1);
    expect((await stat(path)).size).toBe(6);
  });

  test('replaces a file that a process of the same number left', async () => {
    await writeFile(path, 'much longer than the footer');
    await new StagedFile(path).finish(Buffer.from('footer'));
    expect(await readFile(path, 'utf8')).toBe('footer');
  });

  test('that is discarded is closed and removed, whether or not it was finished', async () => {
    for (const isFinished of [false, true]) {
      const file = new StagedFile(path);
      await file.append(Buffer.alloc(100 * KB));
      if (isFinished) await file.finish(Buffer.alloc(0));
      await file.discard();
      expect(await filesIn(root)).toEqual([]);
      expect(await heldIn(root)).toEqual([]);
    }
  });

  test('that was not created, or was moved away, can be discarded', async () => {
    await writeFile(path, 'of another one');
    await new StagedFile(path).discard();
    expect(await filesIn(root)).toEqual([path]);
    const file = new StagedFile(path);
    await file.finish(Buffer.from('footer'));
    await rename(path, join(root, 'published'));
    await file.discard();
    expect(await filesIn(root)).toEqual([join(root, 'published')]);
  });
});

describe('a small file', () => {
  test('is written at once', async () => {
    await writeFlushed(path, Buffer.from('record'));
    expect(await readFile(path, 'utf8')).toBe('record');
    expect(await heldIn(root)).toEqual([]);
  });

  test('that does not fit is refused as storage-full, and leaves nothing', async () => {
    await symlink('/dev/full', path);
    await expect(writeFlushed(path, Buffer.from('record'))).rejects.toMatchObject({
      code: 'storage-full',
      cause: { code: 'ENOSPC' },
    });
    expect(await filesIn(root)).toEqual([]);
    expect(await heldIn(root)).toEqual([]);
  });

  test('beyond the quota of the disk is refused in the same way, and any other error is thrown', async () => {
    const append = vi.spyOn(await fileHandleMethods(), 'appendFile');
    onTestFinished(() => append.mockRestore());
    append.mockRejectedValueOnce(Object.assign(new Error('over quota'), { code: 'EDQUOT' }));
    await expect(writeFlushed(path, Buffer.from('record'))).rejects.toMatchObject({ code: 'storage-full' });
    append.mockRejectedValueOnce(Object.assign(new Error('broken'), { code: 'EIO' }));
    await expect(writeFlushed(path, Buffer.from('record'))).rejects.toThrow('broken');
    await expect(writeFlushed(join(root, 'gone', '1'), Buffer.alloc(1))).rejects.toThrow('ENOENT');
  });
});
