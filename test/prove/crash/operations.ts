import type { Operation } from './operation.ts';
import { refresh } from './refresh-operation.ts';
import { deletion, sweep, upload } from './upload-operations.ts';

export const OPERATIONS: Record<string, Operation> = { upload, deletion, sweep, refresh };
