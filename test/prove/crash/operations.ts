import type { Operation } from './operation.ts';
import { refresh } from './refresh-operation.ts';
import { expiry, resumable, termination } from './resumable-operations.ts';
import { deletion, start, sweep, upload } from './upload-operations.ts';

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
