import { glob, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { inFolder } from '../support/folders.ts';
import { runClient } from '../support/load.ts';
import { memoryGrowth, perCpuSecond, ratios } from '../support/measure.ts';
import { type MeasuredServer, startBaseline, startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

const MB = 1024 ** 2;

/** Memory is measured with 100 MB each. For CPU time, sixteen uploads are smaller, or they would write 20 GB. */
const CASES = [
  { uploads: 1, megabytes: 100 },
  { uploads: 16, megabytes: 25 },
];
const MEMORY_MEGABYTES = 100;

/** How a client sends a file, and the path that it sends to. */
interface Way {
  client: string;
  path: string;
  method?: 'PUT';
}
const AT_ONCE: Way = { client: 'upload', path: '/upload' };
const BY_PUT: Way = { client: 'upload', path: '/x.bin', method: 'PUT' };
const RESUMABLE: Way = { client: 'upload-resumable', path: '/files' };

/** Large uploads, compared with bare node:http that pipes, hashes and flushes the same bytes. */
export const measureLargeUploads = () => measure(AT_ONCE);
/** The same by PUT, without a form. */
export const measurePutUploads = () => measure(BY_PUT);
/** The same in a PATCH, which is stored before it is hashed and published. */
export const measureResumableUploads = () => measure(RESUMABLE);

async function measure(way: Way): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { uploads, megabytes } of CASES) {
    rows.push(await measureCpu(way, uploads, megabytes), await measureMemory(way, uploads));
  }
  return rows;
}

function measureCpu(way: Way, uploads: number, megabytes: number): Promise<Row> {
  return inFolder(async (folder) => {
    const baselineFolder = path.join(folder, 'baseline');
    await mkdir(baselineFolder);
    const service = await startService(folder);
    const baseline = await startBaseline('receive', { folder: baselineFolder });
    // CPU time for each MB, the inverse of work per CPU second.
    const cpuPerMb =
      (server: MeasuredServer, { client, path: to, method }: Way, address: string) =>
      async () => {
        const mbPerCpuSecond = await perCpuSecond(server, async () => {
          await runClient(client, { url: `${address}${to}`, method, uploads, megabytes });
          return uploads * megabytes;
        });
        await removeUploads(folder);
        return 1 / mbPerCpuSecond;
      };
    const bare = cpuPerMb(baseline, AT_ONCE, baseline.address);
    const values = await ratios(bare, cpuPerMb(service, way, service.uploads));
    await Promise.all([service.stop(), baseline.stop()]);
    return { what: `${megabytes} MB, ${uploads} at once: CPU a MB`, values, wanted: { atMost: 1.1 } };
  });
}

/** Growth of the service's resident memory since a small upload. */
function measureMemory({ client, path: to, method }: Way, uploads: number): Promise<Row> {
  return inFolder(async (folder) => {
    const service = await startService(folder);
    const url = `${service.uploads}${to}`;
    await runClient(client, { url, method, uploads: 1, megabytes: 1 });
    const bytes = await memoryGrowth(service, () =>
      runClient(client, { url, method, uploads, megabytes: MEMORY_MEGABYTES }),
    );
    await service.stop();
    return {
      what: `${MEMORY_MEGABYTES} MB, ${uploads} at once: memory more than before`,
      values: [bytes / MB],
      wanted: { atMost: 60 },
      unit: 'MB',
    };
  });
}

/** Removes what both servers have stored, before the disk is full. */
async function removeUploads(folder: string): Promise<void> {
  for await (const file of glob(['baseline/*', 'uploads/2*/*', 'uploads/resumable/2*/*/*'], { cwd: folder }))
    await rm(path.join(folder, file));
}
