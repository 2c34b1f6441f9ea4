import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { scrape } from '../../support/metrics.ts';

const MB = 1024 * 1024;

export type Sample = Awaited<ReturnType<typeof takeSample>>;

/** What a minute of a run has come to. */
export async function takeSample(minute: number, operations: string, dataDir: string) {
  const metrics = await scrape(operations);
  const value = (name: string, labels?: Record<string, string>) => metrics.sample(name, labels) ?? 0;
  const ofThreads = (name: string) =>
    ['main', 'crawler', 'uploads'].reduce((sum, thread) => sum + value(name, { thread }), 0);
  const disk = await measureFolder(dataDir);
  return {
    minute,
    residentMb: value('process_resident_memory_bytes') / MB,
    heapMb: ofThreads('tayang_thread_heap_bytes') / MB,
    descriptors: value('process_open_fds'),
    diskMb: disk.bytes / MB,
    files: disk.files,
    timers: value('nodejs_active_resources', { type: 'Timeout' }),
    /** Times that a thread of the service was restarted since the start. */
    restarts: ofThreads('tayang_thread_restarts_total'),
  };
}

/** Counts what the files below a folder occupy. Files may be removed meanwhile. */
async function measureFolder(folder: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  let files = 0;
  let bytes = 0;
  for (const entry of entries.filter((one) => one.isFile())) {
    const stats = await stat(path.join(entry.parentPath, entry.name)).catch(() => undefined);
    if (!stats) continue;
    files += 1;
    bytes += stats.size;
  }
  return { files, bytes };
}
