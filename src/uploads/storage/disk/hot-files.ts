import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { StoredFile } from '../../storage.ts';
import { unlessMissing } from '../errors.ts';

const MAX_BYTES = 8 * 1024 ** 2;
/** About what a file takes beside its bytes. */
const DESCRIPTION_BYTES = 2 * 1024;

interface HotFile {
  ino: number;
  ctimeMs: number;
  file: StoredFile;
}

/**
 * Keeps the small files that were read last in memory. To ask whether a file is still the same takes one trip to the thread
 * pool; to open, inspect, read and close it takes four, half of the CPU time of a small download (166 against 117 µs in
 * all). Synchronous calls would be as cheap, and would stop every response while a disk is slow.
 */
export function createHotFiles() {
  /** By their paths, in the order of their use. */
  const files = new Map<string, HotFile>();
  let bytes = 0;

  function forget(path: string, { file }: HotFile): void {
    if (files.delete(path)) bytes -= costOf(file);
  }

  return {
    /** Undefined for a file that is not kept, is no longer there, or has been replaced. */
    async get(path: string): Promise<StoredFile | undefined> {
      const hot = files.get(path);
      if (!hot) return undefined;
      const stats = await unlessMissing(stat(path));
      if (files.get(path) !== hot) return undefined;
      if (stats?.ino !== hot.ino || stats.ctimeMs !== hot.ctimeMs) return void forget(path, hot);
      files.delete(path);
      files.set(path, hot);
      return hot.file;
    },

    /** `stats`: of the file when it was read. */
    add(path: string, { ino, ctimeMs }: Stats, file: StoredFile): void {
      const before = files.get(path);
      if (before) forget(path, before);
      files.set(path, { ino, ctimeMs, file });
      bytes += costOf(file);
      for (const [oldest, hot] of files) {
        if (bytes <= MAX_BYTES) break;
        forget(oldest, hot);
      }
    },
  };
}

function costOf({ description }: StoredFile): number {
  return description.size + DESCRIPTION_BYTES;
}
