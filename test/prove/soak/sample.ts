import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { scrape } from '../../support/metrics.ts';
import type { LoadReport } from './load/tally.ts';

const MB = 1024 * 1024;

/** One minute of a run. Times are in ms. */
export interface Sample {
  minute: number;
  residentMb: number;
  heapMb: number;
  descriptors: number;
  diskMb: number;
  files: number;
  timers: number;
  /** Times that a thread of the service was restarted since the start. */
  restarts: number;
  /** p99 of the delay of the main thread's event loop. */
  loopDelay: number;
  readP50: number;
  readP99: number;
  uploadP50: number;
  uploadP99: number;
  /** The number of exchanges by kind and outcome, and of those whose outcome a client may not get. */
  outcomes: Record<string, number>;
  errors: Record<string, number>;
}

export async function takeSample(
  minute: number,
  operations: string,
  dataDir: string,
  { latencies, outcomes, errors }: LoadReport,
): Promise<Sample> {
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
    restarts: ofThreads('tayang_thread_restarts_total'),
    loopDelay: value('tayang_thread_event_loop_delay_seconds', { thread: 'main' }) * 1_000,
    readP50: percentile(latencies.read, 0.5),
    readP99: percentile(latencies.read, 0.99),
    uploadP50: percentile(latencies.upload, 0.5),
    uploadP99: percentile(latencies.upload, 0.99),
    outcomes,
    errors,
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

/** 0 when there are no values. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
