import { randomUUID } from 'node:crypto';
import { parseUploadId, type UploadId } from '../../domain/upload.ts';
import type { Records } from '../storage.ts';

/*
 * What a command of the operator tells every process on a storage, as records:
 *
 * version            changes with each block and removal. Every process polls it instead of listing all records
 * removal.<id>.<at>  the file of this id has been removed, and its space is free now. The name is all that is read
 */

const VERSION = 'version';
const REMOVAL = 'removal.';
/** How long a notice of a removal is kept. Every process has read it long before that. */
const NOTICE_LIFE_MS = 120_000;

/** Empty before the first change. */
export async function readVersion(records: Records): Promise<string> {
  return (await records.get(VERSION))?.toString() ?? '';
}

/** Makes every process read again; to be called after a change is complete. */
export async function announceChange(records: Records): Promise<void> {
  await records.put(VERSION, Buffer.from(randomUUID()));
}

/** Leaves a notice of a removal. `at`: ms since 1970, by the clock of the command. */
export async function noteRemoval(records: Records, id: UploadId, at: number): Promise<void> {
  await records.put(`${REMOVAL}${id}.${at.toString(36)}`, Buffer.alloc(0));
}

/** Resolves with the ids of removed files of which there are notices. */
export async function readRemovals(records: Records): Promise<Set<UploadId>> {
  const names = await Array.fromAsync(records.list(REMOVAL));
  const ids = names.map((name) => parseUploadId(name.split('.')[1] ?? ''));
  return new Set(ids.filter((id) => id !== undefined));
}

/** Resolves with the names of notices that are over, and of those without a time. */
export async function oldNotices(records: Records, now: number): Promise<string[]> {
  const names = await Array.fromAsync(records.list(REMOVAL));
  const endOf = (name: string) => Number.parseInt(name.split('.')[2] ?? '', 36) + NOTICE_LIFE_MS;
  return names.filter((name) => !(endOf(name) > now));
}
