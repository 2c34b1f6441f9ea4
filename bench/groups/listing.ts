import { crawlInto } from '../support/crawl-into.ts';
import { exchange, headerOf } from '../support/exchange.ts';
import { inFolder } from '../support/folders.ts';
import { fire } from '../support/load.ts';
import { perCpuSecond, ratios } from '../support/measure.ts';
import { type MeasuredServer, startBaseline, startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

/** Many short measurements, so that the median leaves out other load on the machine. */
const AMOUNT = 2_000;
const WARM_UP = 10_000;
const CASES = [
  { what: 'schedule, identity', path: '/api/anime/schedule', encoding: 'identity' },
  { what: 'schedule, br', path: '/api/anime/schedule', encoding: 'br' },
  { what: 'home?page=2, identity', path: '/api/anime/home?page=2', encoding: 'identity' },
  { what: 'home?page=2, br', path: '/api/anime/home?page=2', encoding: 'br' },
  { what: 'home?page=2, br, 304', path: '/api/anime/home?page=2', encoding: 'br', isKnown: true },
];

/** Requests a CPU second of the listing, compared with bare node:http sending the same bytes and headers. */
export function measureListing(): Promise<Row[]> {
  return inFolder(async (folder) => {
    await crawlInto(folder);
    // A crawl is scheduled, far ahead, so that responses carry its time as in production.
    const service = await startService(folder, { REFRESH_CRON: '0 0 1 1 *' });
    const rows: Row[] = [];
    for (const one of CASES) rows.push(await measureCase(service, one));
    await service.stop();
    return rows;
  });
}

async function measureCase(service: MeasuredServer, options: (typeof CASES)[number]): Promise<Row> {
  const { what, path, encoding, isKnown = false } = options;
  const headers: Record<string, string> = { 'Accept-Encoding': encoding };
  if (isKnown) headers['If-None-Match'] = headerOf(await exchange(service.address + path, headers), 'ETag');
  const answer = await exchange(service.address + path, headers);
  const baseline = await startBaseline('answer', answer);
  const measure = (server: MeasuredServer) => () => {
    const load = { url: server.address + path, amount: AMOUNT, headers, status: answer.status };
    return perCpuSecond(server, () => fire(load));
  };
  for (const { address } of [baseline, service])
    await fire({ url: address + path, amount: WARM_UP, headers, status: answer.status });
  const values = await ratios(measure(baseline), measure(service));
  await baseline.stop();
  return { what: `${what}: requests a CPU second`, values, wanted: { atLeast: 0.95 } };
}
