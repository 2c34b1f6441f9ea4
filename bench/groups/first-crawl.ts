import { setTimeout as sleep } from 'node:timers/promises';
import { exchange, headerOf } from '../support/exchange.ts';
import { inFolder } from '../support/folders.ts';
import { fire } from '../support/load.ts';
import { startService } from '../support/servers.ts';
import { openSource } from '../support/source.ts';
import type { Row } from '../support/table.ts';

const READERS = 200;
const SOURCE_MS = 100;

/** 200 requests during the first crawl on an empty cache: they cause one crawl, and get a response before it ends. */
export function measureFirstCrawl(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const source = await openSource(SOURCE_MS);
    const service = await startService(folder, {
      SOURCE_URLS: source.origin,
      REFRESH_CRON: '0 0 1 1 *',
      // The crawl takes longer than all requests.
      SOURCE_DELAY: '300ms',
    });
    const url = `${service.address}/api/anime/home`;
    const all = { url, amount: READERS, connections: READERS };

    const first = await exchange(url, {});
    const startedAt = performance.now();
    const refused = await fire({ ...all, status: 503 });
    const took = performance.now() - startedAt;
    while ((await exchange(`${service.address}/readyz`, {})).status !== 200) await sleep(50);
    const served = await fire({ ...all, status: 200 });
    const crawls = source.requests.filter((path) => path === '/jadwal-rilis/').length;
    await service.stop();
    source.close();

    const hasRetryAfter = headerOf(first, 'Retry-After') !== '';
    return [
      { what: 'crawls', values: [crawls], wanted: { atMost: 1 } },
      {
        what: '503 with Retry-After meanwhile',
        values: [hasRetryAfter ? refused : 0],
        wanted: { atLeast: READERS },
      },
      { what: 'all of them answered within', values: [took], wanted: { atMost: 1_000 }, unit: 'ms' },
      { what: '200 afterwards', values: [served], wanted: { atLeast: READERS } },
    ];
  });
}
