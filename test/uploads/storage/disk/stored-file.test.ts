import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createChunkSizes } from '../../../../src/uploads/storage/disk/chunk-sizes.ts';
import { describeFile, encodeFooter, openFile } from '../../../../src/uploads/storage/disk/stored-file.ts';
import { DamagedFileError, RemovedFileError } from '../../../../src/uploads/storage.ts';
import { heldIn } from '../../../support/files.ts';
import { temporaryFolder } from '../../../support/service.ts';
import { bytesOf, describeUpload } from '../../../support/uploads.ts';

const KB = 1024;
const MARK = { reason: 'legal', removedAt: 1, sha256: '' } as const;

let path: string;

beforeEach(async () => {
  path = join(await temporaryFolder(onTestFinished), 'file');
});

const open = () =>
  openFile(
    path,
    createChunkSizes(() => 0),
  );

/** Stores `size` bytes with a description that has about `nameBytes` bytes. */
async function store(size: number, nameBytes = 10) {
  const bytes = Buffer.from(Array.from({ length: size }, (_, at) => at % 251));
  const description = describeUpload({ size, sha256: '' }, { originalname: '"'.repeat(nameBytes / 2) });
  await writeFile(path, Buffer.concat([bytes, encodeFooter(description)]));
  return { bytes, description };
}

/** A file that ends with this JSON and its length. */
const ending = (json: string, length = json.length) => {
  const lengthBytes = Buffer.alloc(4);
  lengthBytes.writeUInt32BE(length);
  return Buffer.concat([Buffer.from(json), lengthBytes]);
};

describe('a stored file', () => {
  test.each([
    [0, 10],
    [1, 10],
    [60 * KB, 10],
    [64 * KB, 10],
    [200 * KB, 10],
    [10, 3 * KB],
    [10, 100 * KB],
    [200 * KB, 100 * KB],
  ])('of %i bytes is read back, with a description of %i', async (size, nameBytes) => {
    const { bytes, description } = await store(size, nameBytes);
    expect(await describeFile(path)).toEqual(description);
    const file = await open();
    expect(file?.description).toEqual(description);
    expect((await bytesOf(await file!.read())).equals(bytes)).toBe(true);
    if (size > 10) {
      const range = await bytesOf(await file!.read({ start: 3, end: 7 }));
      expect([...range]).toEqual([3, 4, 5, 6, 7]);
    }
    expect(await heldIn(path)).toEqual([]);
  });

  test('that is small is read with its description, and needs no file any more', async () => {
    const { bytes } = await store(50 * KB);
    const file = await open();
    await writeFile(path, '');
    expect((await bytesOf(await file!.read())).equals(bytes)).toBe(true);
  });

  test('ends with its description and the length of that, big-endian', async () => {
    const { description } = await store(3);
    const json = JSON.stringify(description);
    const stored = await readFile(path);
    expect(stored.subarray(3)).toEqual(ending(json));
  });

  test('that is missing is undefined', async () => {
    expect(await open()).toBeUndefined();
    expect(await describeFile(path)).toBeUndefined();
  });

  test('that was withdrawn has a mark in place of its description', async () => {
    await writeFile(path, encodeFooter(MARK));
    await expect(open()).rejects.toThrow(RemovedFileError);
    await expect(open()).rejects.toMatchObject({ mark: MARK });
    expect(await describeFile(path)).toBeUndefined();
  });
});

test.each([
  ['empty', Buffer.alloc(0)],
  ['shorter than a length', Buffer.alloc(3)],
  ['only a length', Buffer.alloc(4)],
  ['a length that exceeds the file', ending('{}', 3)],
  ['no JSON', ending('{')],
  ['null', ending('null')],
  ['a number', ending('1')],
  ['no size', ending('{}')],
  ['a larger size', ending('{"size":1}')],
  ['a smaller size', Buffer.concat([Buffer.from('ab'), ending('{"size":1}')])],
])('a file is damaged that has %s', async (_what, content) => {
  await writeFile(path, content);
  await expect(open()).rejects.toThrow(DamagedFileError);
  await expect(describeFile(path)).rejects.toThrow(`the stored file ${path} is damaged`);
  expect(await heldIn(path)).toEqual([]);
});
