import { randomUUID } from 'node:crypto';
import { parseUploadIds, type UploadId } from '../../domain/upload.ts';
import { VERSION } from '../storage/objects.ts';
import type { Records } from '../storage.ts';

/*
 * What a command of the operator tells every process on a storage, as records:
 *
 * version       changes with each block and removal. Every process polls it instead of listing all records
 * removal.<id>  the file of this id is being removed, and its space is free once it is gone. The name is all that is read
 */

const REMOVAL = 'removal.';

/** Empty before the first change. */
export async function readVersion(records: Records): Promise<string> {
  return (await records.get(VERSION))?.toString() ?? '';
}

/** Makes every process read again; to be called after a change is complete. */
export async function announceChange(records: Records): Promise<void> {
  await records.put(VERSION, Buffer.from(randomUUID()));
}

/** Leaves a notice of a removal, which is swept when the file would have expired. */
export async function noteRemoval(records: Records, id: UploadId): Promise<void> {
  await records.put(REMOVAL + id, Buffer.alloc(0));
}

export async function removalNames(records: Records): Promise<string[]> {
  return Array.fromAsync(records.list(REMOVAL));
}

/** Resolves with the ids of files of whose removal there are notices. */
export async function readRemovals(records: Records): Promise<UploadId[]> {
  return parseUploadIds((await removalNames(records)).map((name) => name.slice(REMOVAL.length)));
}
