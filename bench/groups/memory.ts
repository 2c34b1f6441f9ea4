import { setTimeout as sleep } from 'node:timers/promises';
import { crawlInto } from '../support/crawl-into.ts';
import { inFolder } from '../support/folders.ts';
import { fire } from '../support/load.ts';
import { startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

const MB = 1024 ** 2;
const FEW = 10_000;
const MANY = 1_000_000;
const PIECE = 50_000;
/** Tables of the engine vary by about this. */
const TOLERATED_MB = 1;

const MAX_IDLE_MB = 170;
const SETTLE_MS = 3_000;
/** Starts differ by several MB. */
const STARTS = 7;

/** Resident memory of all threads, without any requests. */
export function measureIdleMemory(): Promise<Row[]> {
  return inFolder(async (folder) => {
    await crawlInto(folder);
    // The first start after a change compiles every module, which takes memory of its own.
    await (await startService(folder)).stop();
    const values: number[] = [];
    for (let start = 0; start < STARTS; start += 1) values.push(await idleBytes(folder));
    const wanted = { atMost: MAX_IDLE_MB };
    return [{ what: 'idle, all threads', values: values.map((bytes) => bytes / MB), wanted, unit: 'MB' }];
  });
}

async function idleBytes(folder: string): Promise<number> {
  const service = await startService(folder, { REFRESH_CRON: '0 0 1 1 *' });
  await sleep(SETTLE_MS);
  const { residentBytes } = await service.usage();
  await service.stop();
  return residentBytes;
}

/** Memory after a million requests, minus that after ten thousand. */
export function measureMemory(): Promise<Row[]> {
  return inFolder(async (folder) => {
    await crawlInto(folder);
    const service = await startService(folder, { REFRESH_CRON: '0 0 1 1 *' }, ['--expose-gc']);
    const url = `${service.address}/api/anime/home?page=2`;
    await fire({ url, amount: FEW });
    const after = await service.usage();
    for (let sent = FEW; sent < MANY; sent += PIECE)
      await fire({ url, amount: Math.min(PIECE, MANY - sent) });
    const end = await service.usage();
    await service.stop();
    return [
      {
        what: 'alive after 1,000,000 requests, more than after 10,000',
        values: [(end.aliveBytes - after.aliveBytes) / MB],
        wanted: { atMost: TOLERATED_MB },
        unit: 'MB',
      },
      {
        what: 'resident after 1,000,000 requests, more than after 10,000',
        values: [(end.residentBytes - after.residentBytes) / MB],
        unit: 'MB',
      },
    ];
  });
}
