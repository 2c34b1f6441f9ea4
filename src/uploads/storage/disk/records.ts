import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Records } from '../../storage.ts';
import { hasCode, unlessMissing } from '../errors.ts';
import { removeFile } from './expiry-folders.ts';
import { flushFolder } from './folder-flusher.ts';
import { writeFlushed } from './staged-file.ts';

/**
 * Opens the folder of the records, each a file. The folder is created here and not at the first write: a command of another
 * user could make that, and the service could then not write to it. `nextPath` returns a path for a staged file.
 */
export async function openRecords(folder: string, nextPath: () => string): Promise<Records> {
  await mkdir(folder, { recursive: true });

  return {
    get: (name) => unlessMissing(readFile(join(folder, name))),

    async put(name, content) {
      const path = nextPath();
      await writeFlushed(path, content);
      await rename(path, join(folder, name));
      await flushFolder(folder);
    },

    async remove(names) {
      for (const name of names) await removeFile(join(folder, name));
    },

    async *list(prefix) {
      const names = await unlessMissing(readdir(folder));
      // A folder that was removed has no records, unless the whole storage is not there.
      if (!names) await mkdir(folder).catch(unlessThere);
      for (const name of names ?? []) if (name.startsWith(prefix)) yield name;
    },
  };
}

function unlessThere(error: unknown): void {
  if (!hasCode(error, 'EEXIST')) throw error;
}
