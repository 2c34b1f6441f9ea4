import { setTimeout as sleep } from 'node:timers/promises';
import { crawlInto } from '../support/crawl-into.ts';
import { exchange } from '../support/exchange.ts';
import { inFolder } from '../support/folders.ts';
import { runClient, startClient } from '../support/load.ts';
import { quantile } from '../support/measure.ts';
import { startBaseline, startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

const PAIRS = 7;
const PER_SECOND = 300;
const SECONDS = 4;
const SENDERS = 16;
const MEGABYTES = 25;
const TARGET = '/api/anime/home?page=2';
const WARM_UP_MS = 500;

/**
 * Latency of the listing during sixteen uploads at full speed, compared with a bare server in its own process during the
 * same uploads.
 */
export function measureWhileUploading(): Promise<Row[]> {
  return inFolder(async (folder) => {
    await crawlInto(folder);
    const service = await startService(folder, { REFRESH_CRON: '0 0 1 1 *', UPLOAD_TTL: '1m' });
    const answer = await exchange(service.address + TARGET, { 'Accept-Encoding': 'br' });
    const baseline = await startBaseline('answer', answer);
    const url = `${service.uploads}/upload?expires=1s`;
    const senders = { url, uploads: SENDERS, megabytes: MEGABYTES, isForever: true };
    const rows = await compareLatencies(service.address, baseline.address, () =>
      startClient('upload', senders),
    );
    await Promise.all([service.stop(), baseline.stop()]);
    return rows;
  });
}

/** p50 and p99 of a page divided by a bare server's, both under the same load. */
export async function compareLatencies(
  ours: string,
  baseline: string,
  startLoad: () => { stop(): Promise<void> },
): Promise<Row[]> {
  const pairs: { own: number[]; bare: number[] }[] = [];
  for (let pair = 0; pair <= PAIRS; pair += 1) {
    const load = startLoad();
    await sleep(WARM_UP_MS);
    const bare = await latencies(baseline);
    const own = await latencies(ours);
    await load.stop();
    // The first pair is a warm-up.
    if (pair > 0) pairs.push({ own, bare });
  }
  const at = (share: number) => pairs.map(({ own, bare }) => quantile(own, share) / quantile(bare, share));
  return [
    { what: 'p99 of a page, over a bare server', values: at(0.99), wanted: { atMost: 1.3 } },
    { what: 'p50 of a page, over a bare server', values: at(0.5), wanted: { atMost: 1.3 } },
    { what: 'p99 of a page', values: pairs.map(({ own }) => quantile(own, 0.99)), unit: 'ms' },
  ];
}

async function latencies(address: string): Promise<number[]> {
  const url = address + TARGET;
  const { took } = await runClient<{ took: number[] }>('latency', {
    url,
    perSecond: PER_SECOND,
    seconds: SECONDS,
  });
  return took;
}
