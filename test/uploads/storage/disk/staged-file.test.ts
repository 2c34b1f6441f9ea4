import { readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { StagedFile, writeFlushed } from '../../../../src/uploads/storage/disk/staged-file.ts';
import { encodeFooter } from '../../../../src/uploads/storage/disk/stored-file.ts';
import { fileHandleMethods } from '../../../support/file-handles.ts';
import { filesIn, heldIn } from '../../../support/files.ts';
import { temporaryFolder } from '../../../support/service.ts';
import { describeUpload } from '../../../support/uploads.ts';

const KB = 1024;
const DESCRIPTION = describeUpload({ size: 0, sha256: '' });
const FOOTER = encodeFooter(DESCRIPTION);

let root: string;
let path: string;

beforeEach(async () => {
  root = await temporaryFolder(onTestFinished);
  path = join(root, '1');
});

/** A staged file, which stays at its path unless `moveIntoPlace` moves it. */
const stagedFile = (moveIntoPlace = async (_path: string, _id: string) => {}) =>
  new StagedFile(path, moveIntoPlace);

describe('a staged file', () => {
  test('is created when more than 64 KB have come, and has all bytes and the description at its end', async () => {
    const file = stagedFile();
    await file.append(Buffer.alloc(64 * KB, 'a'));
    expect(await filesIn(root)).toEqual([]);
    await file.append(Buffer.alloc(600 * KB, 'b'));
    await file.append(Buffer.from('c'));
    await file.publish('id', DESCRIPTION);
    expect(await readFile(path, 'latin1')).toBe(
      `${'a'.repeat(64 * KB)}${'b'.repeat(600 * KB)}c${FOOTER.toString('latin1')}`,
    );
    expect(await heldIn(root)).toEqual([]);
  });

  test('is written in batches of 512 KB after the first', async () => {
    const append = vi.spyOn(await fileHandleMethods(), 'appendFile');
    onTestFinished(() => append.mockRestore());
    const file = stagedFile();
    for (let count = 0; count < 20; count += 1) await file.append(Buffer.alloc(64 * KB));
    await file.publish('id', DESCRIPTION);
    const sizes = append.mock.calls.map(([bytes]) => (bytes as Buffer).length);
    expect(sizes).toEqual([64 * KB, 512 * KB, 512 * KB, 192 * KB + FOOTER.length]);
  });

  test('is flushed and closed before it is moved in, under its id', async () => {
    const flush = vi.spyOn(await fileHandleMethods(), 'datasync');
    onTestFinished(() => flush.mockRestore());
    const moveIntoPlace = vi.fn(async () => {
      expect(flush).toHaveBeenCalledTimes(1);
      expect((await stat(path)).size).toBe(FOOTER.length);
      expect(await heldIn(root)).toEqual([]);
    });
    await stagedFile(moveIntoPlace).publish('id', DESCRIPTION);
    expect(moveIntoPlace.mock.calls).toEqual([[path, 'id']]);
  });

  test('replaces a file that a process of the same number left', async () => {
    await writeFile(path, Buffer.alloc(2 * FOOTER.length));
    await stagedFile().publish('id', DESCRIPTION);
    expect(await readFile(path)).toEqual(FOOTER);
  });

  test('that is discarded is closed and removed, whether or not it was finished', async () => {
    for (const isFinished of [false, true]) {
      const file = stagedFile(() => Promise.reject(new Error('not moved')));
      await file.append(Buffer.alloc(100 * KB));
      if (isFinished) await expect(file.publish('id', DESCRIPTION)).rejects.toThrow('not moved');
      await file.discard();
      expect(await filesIn(root)).toEqual([]);
      expect(await heldIn(root)).toEqual([]);
    }
  });

  test('that was not created, or was moved away, can be discarded', async () => {
    await writeFile(path, 'of another one');
    await stagedFile().discard();
    expect(await filesIn(root)).toEqual([path]);
    const file = stagedFile((from, id) => rename(from, join(root, id)));
    await file.publish('published', DESCRIPTION);
    await file.discard();
    expect(await filesIn(root)).toEqual([join(root, 'published')]);
  });
});

describe('a small file', () => {
  test('is written at once and flushed', async () => {
    const flush = vi.spyOn(await fileHandleMethods(), 'sync');
    onTestFinished(() => flush.mockRestore());
    await writeFlushed(path, Buffer.from('record'));
    expect(flush).toHaveBeenCalledTimes(1);
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
    const flush = vi.spyOn(await fileHandleMethods(), 'sync');
    onTestFinished(() => flush.mockRestore());
    flush.mockRejectedValueOnce(Object.assign(new Error('over quota'), { code: 'EDQUOT' }));
    await expect(writeFlushed(path, Buffer.from('record'))).rejects.toMatchObject({ code: 'storage-full' });
    flush.mockRejectedValueOnce(Object.assign(new Error('broken'), { code: 'EIO' }));
    await expect(writeFlushed(path, Buffer.from('record'))).rejects.toThrow('broken');
    await expect(writeFlushed(join(root, 'gone', '1'), Buffer.alloc(1))).rejects.toThrow('ENOENT');
  });
});
