import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Defer } from './defer.ts';
import { temporaryFolder } from './service.ts';

/** Whether this machine lets a test mount file systems that no other process sees. */
export const mayMount =
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

export type SmallDisk = Awaited<ReturnType<typeof openSmallDisk>>;

/**
 * Mounts an ext4 with few inodes and little space. Resolves with its folder, where the test finds that, what runs a command
 * that has it there, and what makes it read-only.
 */
export async function openSmallDisk(defer: Defer, inodes: number, megabytes: number) {
  const make = `truncate -s ${megabytes}M image; mkfs.ext4 -q -m 0 -b 4096 -N ${inodes} image`;
  return openDisk(defer, `${make}; mount -o loop image disk`);
}

/** The same with a file system on which folders and empty files take no blocks. */
export async function openMemoryDisk(defer: Defer, megabytes: number) {
  return openDisk(defer, `mount -t tmpfs -o size=${megabytes}m none disk`);
}

async function openDisk(defer: Defer, mount: string) {
  const folder = await temporaryFolder(defer);
  const script = `set -e; mkdir disk; chmod 755 .; ${mount}; echo mounted; exec sleep infinity`;
  const holder = spawn('unshare', ['--mount', 'sh', '-c', script], { cwd: folder });
  defer(async () => {
    const ended = once(holder, 'close');
    holder.kill('SIGKILL');
    await ended;
  });
  await once(holder.stdout, 'data');
  const [DATA_DIR, inside] = [`${folder}/disk`, ['--target', String(holder.pid), '--mount']];
  return {
    DATA_DIR,
    seen: `/proc/${holder.pid}/root${DATA_DIR}`,
    before: ['nsenter', ...inside],
    remount: (as: 'ro' | 'rw') => spawnSync('nsenter', [...inside, 'mount', '-o', `remount,${as}`, DATA_DIR]),
  };
}
