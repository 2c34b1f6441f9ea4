import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseUploadId } from '../../../../domain/upload.ts';
import type { Announcement, ResumableState } from '../../../resumable-storage.ts';
import { unlessMissing } from '../../errors.ts';
import { removeFile } from '../expiry-folders.ts';
import { flushFolder } from '../folder-flusher.ts';

/*
 * announced    what was announced, as JSON
 * bytes        what has arrived. Its size is the offset: journaling file systems write bytes before they write the size
 * writer       has no content; a process that writes holds its lock
 * unverified   the offset before bytes whose checksum has not been verified; exists while they arrive
 * published    the id of the file that the upload becomes; `bytes` is moved there
 */

/** How many flushed files are remembered. When there are more, they are flushed again. */
const MAX_REMEMBERED = 10_000;

/** Paths of the files of one resumable upload. */
export interface UploadFolder {
  path: string;
  announced: string;
  bytes: string;
  writer: string;
  unverified: string;
  published: string;
}

export function uploadFolder(path: string): UploadFolder {
  return {
    path,
    announced: join(path, 'announced'),
    bytes: join(path, 'bytes'),
    writer: join(path, 'writer'),
    unverified: join(path, 'unverified'),
    published: join(path, 'published'),
  };
}

/** Creates the folder of an upload of which nothing has arrived. Resolves once a power cut cannot undo it. */
export async function createUploadFolder(folder: UploadFolder, announced: Announcement): Promise<void> {
  const hour = dirname(folder.path);
  await mkdir(folder.path, { recursive: true });
  try {
    for (const empty of [folder.bytes, folder.writer]) await writeFile(empty, '');
    await writeFile(folder.announced, JSON.stringify(announced), { flush: true });
    for (const changed of [folder.path, hour, dirname(hour)]) await flushFolder(changed);
  } catch (error) {
    await rm(folder.path, { recursive: true, force: true });
    throw error;
  }
}

/** Writes a small file, whole or not at all. Resolves once a power cut cannot undo it. */
export async function writeDurably(path: string, content: string): Promise<void> {
  const prepared = `${path}.new`;
  await writeFile(prepared, content, { flush: true });
  await rename(prepared, path);
  await flushFolder(dirname(path));
}

/** Removes a file if there is one. Resolves once a power cut cannot undo it. */
export async function removeDurably(path: string): Promise<void> {
  if (await removeFile(path)) await flushFolder(dirname(path));
}

/** Undefined when there is no such upload, or a crash interrupted its creation. */
export async function readState(
  folder: UploadFolder,
  flushedSize: FlushedSize,
): Promise<ResumableState | undefined> {
  const announced = parse((await readText(folder.announced)) ?? '');
  if (!announced) return undefined;
  const publishedAs = parseUploadId((await readText(folder.published)) ?? '');
  const unverifiedFrom = await readText(folder.unverified);
  const size = await flushedSize(folder.bytes);
  if (size === undefined && publishedAs === undefined) return undefined;
  const arrived = Math.min(size ?? announced.length, announced.length);
  const offset = unverifiedFrom === undefined ? arrived : Math.min(arrived, Number(unverifiedFrom));
  return { announced, offset, publishedAs };
}

/** Resolves with the size of a file, once it is flushed. Undefined when there is no such file. */
type FlushedSize = (path: string) => Promise<number | undefined>;

/**
 * Returns a function that flushes a file because another process may be writing, whose bytes count once they are flushed. It
 * remembers what it has flushed, so that a file which has not changed costs no access to the disk.
 */
export function createFlushedSize(): FlushedSize {
  const flushed = new Map<string, { size: number; mtimeMs: number }>();

  return async (path) => {
    const known = flushed.get(path);
    if (known) {
      const stats = await unlessMissing(stat(path));
      if (stats?.size === known.size && stats.mtimeMs === known.mtimeMs) return known.size;
      flushed.delete(path);
    }
    await using handle = await unlessMissing(open(path, 'r+'));
    if (!handle) return undefined;
    const { size, mtimeMs } = await handle.stat();
    await handle.datasync();
    if (flushed.size >= MAX_REMEMBERED) flushed.clear();
    flushed.set(path, { size, mtimeMs });
    return size;
  };
}

export async function readText(path: string): Promise<string | undefined> {
  return unlessMissing(readFile(path, 'utf8'));
}

function parse(json: string): Announcement | undefined {
  try {
    return JSON.parse(json) ?? undefined;
  } catch {
    return undefined;
  }
}
