import { inFolder } from '../support/folders.ts';
import { type Latencies, runClient, within } from '../support/load.ts';
import { quantile } from '../support/measure.ts';
import { startService } from '../support/servers.ts';
import { openSource } from '../support/source.ts';
import type { Row } from '../support/table.ts';
import { watchLog } from '../support/watch-log.ts';

const REFRESHES = 5;
const PER_SECOND = 300;
/** A refresh with the default delay takes about four seconds; a pause of the same length follows it. */
const EVERY_SECONDS = 8;

/** Latency of the listing while six pages are read, parsed and rendered, compared with the pauses between. */
export function measureWhileRefreshing(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const source = await openSource(50);
    const service = await startService(folder, {
      SOURCE_URLS: source.origin,
      REFRESH_CRON: `*/${EVERY_SECONDS} * * * * *`,
      LOG_LEVEL: 'debug',
    });
    const log = watchLog(service);
    await log.next('snapshot-loaded');

    const seconds = (REFRESHES + 1) * EVERY_SECONDS;
    const url = `${service.address}/api/anime/home?page=2`;
    const asking = runClient<Latencies>('latency', { url, perSecond: PER_SECOND, seconds });
    const windows: { from: number; to: number }[] = [];
    // The first refresh is a warm-up.
    for (let count = 0; count <= REFRESHES; count += 1) {
      source.change();
      const from = await log.next('refresh-started');
      windows.push({ from, to: await log.next('snapshot-loaded') });
    }
    const latencies = await asking;
    await service.stop();
    source.close();

    const pairs = windows.slice(1).map((busy, index) => {
      const idle = { from: windows[index]!.to, to: busy.from };
      return { busy: within(latencies, busy), idle: within(latencies, idle) };
    });
    const ratiosAt = (share: number) =>
      pairs.map(({ busy, idle }) => quantile(busy, share) / quantile(idle, share));
    return [
      { what: 'p99 of a page, over idle', values: ratiosAt(0.99), wanted: { atMost: 1.3 } },
      { what: 'p50 of a page, over idle', values: ratiosAt(0.5) },
      { what: 'p99 of a page, idle', values: pairs.map(({ idle }) => quantile(idle, 0.99)), unit: 'ms' },
      { what: 'slowest page of a refresh', values: pairs.map(({ busy }) => Math.max(...busy)), unit: 'ms' },
    ];
  });
}
