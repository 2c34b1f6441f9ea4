import { mkdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { occupiedBytes } from '../../domain/upload.ts';
import type { Storage, Usage } from '../storage.ts';
import { BatchedFile } from './batched-file.ts';
import { explainFull, unlessMissing } from './disk-errors.ts';
import { openExpiryFolders, removeFile } from './disk-expiry-folders.ts';
import { DamagedFileError, describeFile, encodeFooter, openFile } from './disk-file.ts';
import { openStaging } from './disk-staging.ts';
import { createPieceSizes } from './piece-sizes.ts';
import { type Sink, stageDraft } from './staged-upload.ts';

/*
 * root/2026-08-15T21/…        what expires in that hour (UTC), each file under its id
 * root/staging/4711-x7Qz9B/…  the drafts of one process
 */

const FREE_FOR_MS = 10;

/** Keeps uploads in the folder `root`. `clock` tells ms since 1970. */
export async function openDiskStorage(root: string, clock: () => number): Promise<Storage> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const staging = await openStaging(join(root, 'staging'), clock);
  const hours = openExpiryFolders(root);
  const sizes = createPieceSizes(clock);
  let free = { bytes: 0, at: Number.NEGATIVE_INFINITY };

  /** Known well enough for a moment: what may come meanwhile is far less than what is always kept free. */
  async function freeBytes(): Promise<number> {
    const now = clock();
    if (now - free.at < 0 || now - free.at >= FREE_FOR_MS) {
      const { bavail, bsize } = await statfs(root);
      free = { bytes: bavail * bsize, at: now };
    }
    return free.bytes;
  }

  function nextSink(): Sink {
    const path = staging.nextPath();
    const file = new BatchedFile(path);
    return {
      append: (chunk) => file.append(chunk),
      async publish(id, description) {
        await file.finish(encodeFooter(description));
        await hours.moveIn(path, id);
      },
      discard: () => file.discard(),
      explain: explainFull,
    };
  }

  return {
    stage: (stream, options) => stageDraft(stream, nextSink(), clock, options),

    async open(id) {
      const path = hours.pathOf(id);
      return path === undefined ? undefined : await openFile(path, sizes);
    },

    async remove(id) {
      const path = hours.pathOf(id);
      return path !== undefined && (await removeFile(path));
    },

    async sweep(now) {
      return { files: await hours.sweep(now), drafts: await staging.sweep(now) };
    },

    async *usage() {
      for await (const id of hours.ids()) {
        const path = hours.pathOf(id)!;
        const usage = await usageOf(path).catch((error: unknown) => usageOfDamaged(path, error));
        if (usage) yield { id, ...usage };
      }
    },

    freeBytes,

    close: () => staging.close(),
  };
}

async function usageOf(path: string): Promise<Omit<Usage, 'id'> | undefined> {
  const description = await describeFile(path);
  if (!description) return undefined;
  const { owner, uploadedAt } = description;
  return { owner, size: occupiedBytes(description), uploadedAt };
}

/** A damaged file takes its room until it expires, and keeps no other from being counted. */
async function usageOfDamaged(path: string, error: unknown): Promise<Omit<Usage, 'id'> | undefined> {
  if (!(error instanceof DamagedFileError)) throw error;
  const stats = await unlessMissing(stat(path));
  return stats && { owner: '', size: stats.size, uploadedAt: 0 };
}
