import { deletion, download, start, sweep, upload } from './files.ts';
import type { Operation } from './operation.ts';
import { refresh } from './refresh.ts';
import { expiry, resumable, termination } from './resumable.ts';

/** Those of a service with its files on a disk. */
export const OPERATIONS: Record<string, Operation> = {
  upload,
  start,
  deletion,
  sweep,
  resumable,
  termination,
  expiry,
  refresh,
};

export const BUCKET_OPERATIONS: Record<string, Operation> = { upload, deletion, sweep, download, resumable };

/** Throws where there is no operation of this name. */
export function findOperation(name: string): Operation {
  const operation = { ...OPERATIONS, ...BUCKET_OPERATIONS }[name];
  if (!operation) throw new Error(`There is no operation ${name}.`);
  return operation;
}
