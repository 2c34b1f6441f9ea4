import type { Stats } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { CommandError } from './arguments.ts';

const ROOT = 0;

/**
 * Where root runs a command, this process acts from now on as the owner of the folders, each or the one in which it is to be
 * made: what a command writes, the service can read and replace. Of several owners it is the first one but root, because root
 * should not follow the links in a folder of somebody else. Anybody else acts as themselves. Throws CommandError where that
 * owner cannot read the program.
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
