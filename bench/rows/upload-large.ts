import { glob, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inFolder } from '../support/folders.ts';
import { runClient } from '../support/load.ts';
import { perCpuSecond, ratios } from '../support/measure.ts';
import { type MeasuredServer, startLimit, startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

const MB = 1024 ** 2;
const SAMPLE_EVERY_MS = 25;

/** Memory is measured with 100 MB each. For CPU time, sixteen uploads are smaller, or they would write 20 GB. */
const SCENES = [
  { uploads: 1, megabytes: 100 },
  { uploads: 16, megabytes: 25 },
];
const MEMORY_MEGABYTES = 100;

/** How a client sends a file, and the path that it sends to. */
interface Way {
  client: string;
  path: string;
}
const AT_ONCE: Way = { client: 'upload', path: '/upload' };
const RESUMABLE: Way = { client: 'upload-resumable', path: '/files' };

/** Large uploads, compared with bare node:http that pipes, hashes and flushes the same bytes. */
export const measureLargeUploads = () => measure(AT_ONCE);
/** The same in a PATCH, which is stored before it is hashed and published. */
export const measureResumableUploads = () => measure(RESUMABLE);

async function measure(way: Way): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { uploads, megabytes } of SCENES) {
    rows.push(await measureCpu(way, uploads, megabytes), await measureMemory(way, uploads));
  }
  return rows;
}

function measureCpu(way: Way, uploads: number, megabytes: number): Promise<Row> {
  return inFolder(async (folder) => {
    const limitFolder = path.join(folder, 'limit');
    await mkdir(limitFolder);
    const service = await startService(folder);
    const limit = await startLimit('receive', { folder: limitFolder });
    // CPU time for each MB, the inverse of work per CPU second.
    const cpuPerMb =
      (server: MeasuredServer, { client, path: to }: Way, address: string) =>
      async () => {
        const mbPerCpuSecond = await perCpuSecond(server, async () => {
          await runClient(client, { url: `${address}${to}`, uploads, megabytes });
          return uploads * megabytes;
        });
        await removeUploads(folder);
        return 1 / mbPerCpuSecond;
      };
    const bare = cpuPerMb(limit, AT_ONCE, limit.address);
    const values = await ratios(bare, cpuPerMb(service, way, service.uploads));
    await Promise.all([service.stop(), limit.stop()]);
    return { what: `${megabytes} MB, ${uploads} at once: CPU a MB`, values, wanted: { atMost: 1.15 } };
  });
}

/** Growth of the service's resident memory since a small upload; the highest of continuous samples. */
function measureMemory({ client, path: to }: Way, uploads: number): Promise<Row> {
  return inFolder(async (folder) => {
    const service = await startService(folder);
    const url = `${service.uploads}${to}`;
    await runClient(client, { url, uploads: 1, megabytes: 1 });
    const { residentBytes: before } = await service.usage();
    let most = before;
    let isOver = false;
    const uploading = runClient(client, { url, uploads, megabytes: MEMORY_MEGABYTES }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      most = Math.max(most, (await service.usage()).residentBytes);
      await sleep(SAMPLE_EVERY_MS);
    }
    await uploading;
    await service.stop();
    return {
      what: `${MEMORY_MEGABYTES} MB, ${uploads} at once: memory more than before`,
      values: [(most - before) / MB],
      wanted: { atMost: 60 },
      unit: 'MB',
    };
  });
}

/** Removes what both servers have stored, before the disk is full. */
async function removeUploads(folder: string): Promise<void> {
  for await (const file of glob(['limit/*', 'uploads/2*/*', 'uploads/resumable/2*/*/*'], { cwd: folder }))
    await rm(path.join(folder, file));
}
