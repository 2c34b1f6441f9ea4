import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchange, headerOf } from '../support/exchange.ts';
import { inFolder } from '../support/folders.ts';
import { type MeasuredServer, startService } from '../support/servers.ts';
import { openSource } from '../support/source.ts';
import type { Row } from '../support/table.ts';
import { type LogWatch, watchLog } from '../support/watch-log.ts';

const PAIRS = 5;
/** Time after a refresh for the edition that follows from it. */
const SETTLE_MS = 700;
/** A page of SQLite. */
const PAGE_BYTES = 4_096;

interface Cost {
  cpuMs: number;
  renderings: number;
  /** Pages of the store that have other bytes. */
  changedPages: number;
  /** Addresses whose `ETag` has changed. */
  changedTags: number;
}

/** A refresh without any change, compared with one in which every page has changed. */
export function measureRefresh(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const source = await openSource();
    const service = await startService(folder, {
      SOURCE_URLS: source.origin,
      SOURCE_DELAY: '0',
      REFRESH_CRON: '*/2 * * * * *',
      LOG_LEVEL: 'debug',
    });
    const log = watchLog(service);
    const changed: Cost[] = [];
    const unchanged: Cost[] = [];
    await settled(log);
    for (let pair = 0; pair < PAIRS; pair += 1) {
      source.change();
      changed.push(await costOfOne(service, log, folder));
      unchanged.push(await costOfOne(service, log, folder));
    }
    await service.stop();
    source.close();

    const none = { wanted: { atMost: 0 } };
    return [
      {
        what: 'nothing changed: CPU of the same with everything changed',
        values: quotients(unchanged, changed),
      },
      { what: 'nothing changed: editions rendered', values: pick(unchanged, 'renderings'), ...none },
      { what: 'nothing changed: tags changed', values: pick(unchanged, 'changedTags'), ...none },
      // The status takes one leaf of the tree, and the first page counts the changes.
      {
        what: 'nothing changed: pages of 4 KB changed',
        values: pick(unchanged, 'changedPages'),
        wanted: { atMost: 2 },
      },
      { what: 'everything changed: pages of 4 KB changed', values: pick(changed, 'changedPages') },
    ];
  });
}

async function settled(log: LogWatch): Promise<void> {
  await log.next('refresh-finished');
  await sleep(SETTLE_MS);
}

async function costOfOne(service: MeasuredServer, log: LogWatch, folder: string): Promise<Cost> {
  const readStore = () => readFile(path.join(folder, 'cache.sqlite'));
  const before = { ...(await service.usage()), store: await readStore(), tags: await tagsOf(service) };
  const renderings = log.count('snapshot-loaded');
  await settled(log);
  const tags = await tagsOf(service);
  return {
    cpuMs: ((await service.usage()).cpuSeconds - before.cpuSeconds) * 1_000,
    renderings: log.count('snapshot-loaded') - renderings,
    changedPages: countChangedPages(before.store, await readStore()),
    changedTags: tags.filter((tag, index) => tag !== before.tags[index]).length,
  };
}

function countChangedPages(before: Buffer, after: Buffer): number {
  let changed = 0;
  for (let at = 0; at < Math.max(before.length, after.length); at += PAGE_BYTES) {
    const end = at + PAGE_BYTES;
    if (!before.subarray(at, end).equals(after.subarray(at, end))) changed += 1;
  }
  return changed;
}

function tagsOf({ address }: MeasuredServer): Promise<string[]> {
  const targets = ['schedule', 'home', 'home?page=2', 'home?page=6'];
  return Promise.all(
    targets.map(async (target) => headerOf(await exchange(`${address}/api/anime/${target}`, {}), 'ETag')),
  );
}

function pick(costs: readonly Cost[], key: keyof Cost): number[] {
  return costs.map((cost) => cost[key]);
}

function quotients(above: readonly Cost[], below: readonly Cost[]): number[] {
  return above.map(({ cpuMs }, index) => cpuMs / (below[index]?.cpuMs ?? Number.NaN));
}
