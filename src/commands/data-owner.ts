import type { Stats } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { CommandError } from './arguments.ts';

const ROOT = 0;

/**
 * If root runs a command, this process acts from now on as the owner of the folders, so that the service can read and replace
 * what the command writes. A folder that does not exist yet counts as its nearest parent. If the owners differ, the first one
 * other than root is taken, because root should not follow links in another user's folder. Other users act as themselves.
 * Throws CommandError if that owner cannot read the program.
 */
export async function actAsOwner(...folders: string[]): Promise<void> {
  if (process.getuid?.() !== ROOT) return;
  const owners = await Promise.all(folders.map((folder) => statNearest(path.resolve(folder))));
  const owner = owners.find(({ uid }) => uid !== ROOT) ?? owners[0];
  if (!owner) return;
  const { uid, gid } = owner;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  await access(import.meta.filename).catch(() => {
    const program = path.resolve(import.meta.dirname, '../..');
    throw new CommandError(
      `The data belongs to user ${uid}, who cannot read ${program}: make that folder readable, or run this as that user where it is.`,
    );
  });
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
