import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { expiryOf } from '../../domain/upload.ts';
import type { Storage } from '../storage.ts';
import { stageDraft } from './disk-draft.ts';
import { describeFile, openFile } from './disk-file.ts';
import { hoursIn, removeFile } from './disk-hours.ts';
import { openStaging } from './disk-staging.ts';

/*
 * root/2026-08-15T21/…        what expires in that hour (UTC), each file under its id
 * root/staging/4711-x7Qz9B/…  the drafts of one process
 */

const FREE_FOR_MS = 100;

/** Keeps uploads in the folder `root`. `clock` tells ms since 1970. */
export async function openDiskStorage(root: string, clock: () => number): Promise<Storage> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const staging = await openStaging(join(root, 'staging'), clock);
  const hours = hoursIn(root);
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

  async function place(draftPath: string, id: string): Promise<void> {
    const expiry = expiryOf(id);
    if (expiry === undefined) throw new Error(`Not the id of an upload: ${id}`);
    if (expiry <= clock()) throw new AppError('expired', 'This file expired before all of it had arrived.');
    await hours.moveIn(draftPath, id);
  }

  return {
    stage(stream, options) {
      const path = staging.nextPath();
      return stageDraft(stream, path, (id) => place(path, id), options);
    },

    async open(id) {
      const path = hours.pathOf(id);
      return path === undefined ? undefined : await openFile(path);
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
        const description = await describeFile(hours.pathOf(id)!);
        if (!description) continue;
        const { owner, size, uploadedAt } = description;
        yield { id, owner, size, uploadedAt };
      }
    },

    freeBytes,

    close: () => staging.close(),
  };
}
