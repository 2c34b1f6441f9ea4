import { timingSafeEqual } from 'node:crypto';
import { AppError } from '../domain/errors.ts';
import { isExpired, parseUploadId } from '../domain/upload.ts';
import { forgetReports } from './moderation/reports.ts';
import { hashDeleteKey } from './publish.ts';
import { createReceiver, type ReceiverOptions } from './receive.ts';
import { noSuchFile, type StoredFile } from './storage.ts';

export type Uploads = ReturnType<typeof createUploads>;

/** The use cases of uploads: receive a file, find it, delete it. */
export function createUploads(options: ReceiverOptions) {
  const { storage, quota, now, report } = options;

  /**
   * Throws AppError `expired` when the time in the id is past, whether or not there ever was a file, and `not-found`
   * when there is no file; `removed` and `removed-legally` when the operator removed it.
   */
  async function find(text: string): Promise<StoredFile> {
    const id = parseUploadId(text);
    if (id === undefined) throw noSuchFile();
    if (isExpired(id, now())) throw new AppError('expired', 'this file has expired');
    const file = await storage.open(id);
    if (!file) throw noSuchFile();
    return file;
  }

  /** Throws as `find` does, and `not-found` for a wrong key, so that a guess reveals nothing. */
  async function findForDeletion(id: string, key: string): Promise<StoredFile> {
    const file = await find(id);
    const hash = Buffer.from(hashDeleteKey(key));
    if (!timingSafeEqual(hash, Buffer.from(file.description.deleteKeyHash))) throw noSuchFile();
    return file;
  }

  async function remove(text: string, key: string): Promise<void> {
    const id = parseUploadId(text);
    if (id === undefined) throw noSuchFile();
    await findForDeletion(id, key);
    await storage.remove(id);
    quota.release(id);
    // What this cannot remove, a sweep removes when the file would have expired.
    await forgetReports(storage.records, id).catch((error: unknown) =>
      report({ type: 'store-failed', doing: 'removing the reports of a deleted file', error }),
    );
  }

  return { receive: createReceiver(options), find, findForDeletion, remove };
}
