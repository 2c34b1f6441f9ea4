import { HOUR_MS } from '../../src/domain/units.ts';
import { createMemoryLedger } from '../../src/uploads/limiters/memory.ts';
import { listStored } from '../../src/uploads/limiters/recount.ts';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import { inFolder } from '../support/folders.ts';
import { manyFiles } from '../support/many.ts';
import { cpuMsOf } from '../support/measure.ts';
import { startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

const COUNTS = [10, 1_000, 100_000];
const MAX_COUNT = 1_000_000;

/** The cost of each stored file as their number grows: at the start, in a sweep that keeps or removes all, in the quota. */
export async function measureFileGrowth({ all }: { all: boolean }): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of all ? [...COUNTS, MAX_COUNT] : COUNTS)
    rows.push(...(await inFolder((folder) => measure(folder, count))));
  return rows.sort((a, b) => kindOf(a).localeCompare(kindOf(b)));
}

function kindOf({ what }: Row): string {
  return what.slice(what.indexOf(':'));
}

async function measure(folder: string, count: number): Promise<Row[]> {
  const root = `${folder}/uploads`;
  // Far enough ahead that no file has expired at the first sweep.
  const expiresAt = Math.ceil(Date.now() / HOUR_MS + 1) * HOUR_MS - 1;
  await manyFiles(root, count, expiresAt);
  const files = `${count.toLocaleString('en')} files`;

  const startedAt = performance.now();
  const service = await startService(folder);
  const started = performance.now() - startedAt;
  await service.stop();

  const storage = await openDiskStorage(root);
  const elapsedMs = () => performance.now();
  const ledger = createMemoryLedger({ elapsedMs });
  const options = { storage, now: Date.now, report: () => {} };
  const sparing = await cpuMsOf(1, () => storage.sweep(expiresAt - 1));
  const counting = await cpuMsOf(1, () => ledger.count(listStored(options, new AbortController().signal)));
  const removing = await cpuMsOf(1, () => storage.sweep(expiresAt));
  await storage.close();
  const each = (ms: number) => [(ms * 1_000) / count];
  return [
    { what: `${files}: start until it listens`, values: [started], unit: 'ms' },
    { what: `${files}: sweep that removes none, a file`, values: each(sparing), unit: 'µs' },
    { what: `${files}: sweep that removes all, a file`, values: each(removing), unit: 'µs' },
    { what: `${files}: quota, a file`, values: each(counting), unit: 'µs' },
  ];
}
