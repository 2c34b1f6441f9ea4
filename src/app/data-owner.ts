import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Where root runs a command, this process acts from now on as the owner of a folder, or of the one in which it is to be made:
 * what a command writes, the service can read and replace. Anybody else acts as themselves.
 */
export async function actAsOwner(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await statNearest(path.resolve(folder));
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

async function statNearest(folder: string): Promise<Stats> {
  const parent = path.dirname(folder);
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    // A file in place of a folder is reported by the one who uses it.
    if (!/^ENO(?:ENT|TDIR)$/u.test(error.code ?? '') || parent === folder) throw error;
    return undefined;
  });
  return found ?? statNearest(parent);
}
