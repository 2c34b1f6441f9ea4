import { type FileHandle, open } from 'node:fs/promises';

/** The methods of all file handles, for tests of calls that fail or that leave nothing to see. */
export async function fileHandleMethods(): Promise<FileHandle> {
  await using handle = await open('/dev/null');
  return Object.getPrototypeOf(handle);
}
