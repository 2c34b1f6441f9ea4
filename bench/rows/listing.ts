import { exchange, headerOf } from '../support/exchange.ts';
import { inFolder } from '../support/folders.ts';
import { fire } from '../support/load.ts';
import { perCpuSecond, ratios } from '../support/measure.ts';
import { crawlInto } from '../support/ready-folder.ts';
import { type MeasuredServer, startLimit, startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

/** Many short measurements, so that the median leaves out other load on the machine. */
const AMOUNT = 2_000;
const PAIRS = 31;
const WARM_UP = 10_000;
const SCENES = [
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
    for (const scene of SCENES) rows.push(await measureScene(service, scene));
    await service.stop();
    return rows;
  });
}

async function measureScene(service: MeasuredServer, scene: (typeof SCENES)[number]): Promise<Row> {
  const { what, path, encoding, isKnown = false } = scene;
  const headers: Record<string, string> = { 'Accept-Encoding': encoding };
  if (isKnown) headers['If-None-Match'] = headerOf(await exchange(service.address + path, headers), 'ETag');
  const answer = await exchange(service.address + path, headers);
  const limit = await startLimit('answer', answer);
  const measure = (server: MeasuredServer) => () => {
    const load = { url: server.address + path, amount: AMOUNT, headers, status: answer.status };
    return perCpuSecond(server, () => fire(load));
  };
  for (const { address } of [limit, service])
    await fire({ url: address + path, amount: WARM_UP, headers, status: answer.status });
  const values = await ratios(measure(limit), measure(service), PAIRS);
  await limit.stop();
  return { what: `${what}: requests a CPU second`, values, wanted: { atLeast: 0.85 } };
}
