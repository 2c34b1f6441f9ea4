import { type CopyEnd, CopyRefusedError, useEnd } from '../../domain/copy.ts';
import type { Objects } from '../storage/objects.ts';
import { VERSION } from '../storage/objects.ts';
import type { Storage } from '../storage.ts';

/** The record that says of what a storage is a copy. The first process that serves from the storage removes it. */
export const STORAGE_COPY_MARK = 'copy';

interface CopyMark {
  /** Names the storage that was copied. */
  from: string;
  /** Whether the last run has compared everything. */
  isCompared: boolean;
}

export async function readCopyMark(records: Objects): Promise<CopyMark | undefined> {
  const json = await records.get(STORAGE_COPY_MARK);
  // `writeCopyMark` alone writes it.
  return json && (JSON.parse(json.toString()) as CopyMark);
}

export async function writeCopyMark(records: Objects, mark: CopyMark): Promise<void> {
  await records.put(STORAGE_COPY_MARK, Buffer.from(JSON.stringify(mark)));
}

/** To be called before anything is served from a storage: a later copy into it would remove what was stored meanwhile. */
export async function removeStorageCopyMark(records: Objects): Promise<void> {
  await records.remove([STORAGE_COPY_MARK]);
}

/**
 * Resolves with whether an earlier run has compared everything in `to`, which then need not be read again. Throws
 * CopyRefusedError where `to` has anything else than a copy of `from`, or a kind that would be left out.
 */
export async function requireTarget(from: Storage, to: Storage, fromName: string): Promise<boolean> {
  await requireKnown('FROM', from);
  await requireKnown('TO', to);
  const mark = await readCopyMark(to.records);
  if (mark && mark.from !== fromName)
    throw new CopyRefusedError('TO is a copy of other uploads; name an empty one');
  if (!mark && (await keepsUploads(to)))
    throw new CopyRefusedError('TO has uploads of its own, or a service has run on it; name an empty one');
  // An empty folder is also what an unmounted disk looks like. A storage in use has a version at least.
  if (!(await keepsAnything(from)))
    throw new CopyRefusedError(
      'FROM is empty; mount its disk, or name the UPLOAD_STORAGE_URL of the service',
    );
  return mark?.isCompared ?? false;
}

async function requireKnown(end: CopyEnd, { contents }: Storage): Promise<void> {
  const [unknown] = await useEnd(end, () => contents.findUnknown());
  if (unknown !== undefined)
    throw new CopyRefusedError(`${end} has a folder ${unknown} that this version of Tayang does not know`);
}

async function keepsUploads({ contents, resumable, collections, records }: Storage): Promise<boolean> {
  for await (const _ of contents.ids()) return true;
  for await (const _ of resumable.keys()) return true;
  for await (const _ of collections.list('')) return true;
  // A storage that was only checked has a version.
  for await (const name of records.list('')) if (name !== VERSION) return true;
  return false;
}

async function keepsAnything(storage: Storage): Promise<boolean> {
  for await (const _ of storage.records.list('')) return true;
  return keepsUploads(storage);
}
