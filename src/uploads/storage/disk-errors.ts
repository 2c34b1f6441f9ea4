import { noRoom } from './staged-upload.ts';

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** What an operation on a path yields, or undefined when there is nothing at that path. */
export async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** A full disk, or a full share of it, in words for who uploads; anything else as it is. */
export function explainFull(error: unknown): unknown {
  if (!hasCode(error, 'ENOSPC', 'EDQUOT')) return error;
  return noRoom(error);
}
