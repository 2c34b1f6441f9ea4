import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crawlInto } from '../support/crawl-into.ts';
import { exchange } from '../support/exchange.ts';
import { inFolder } from '../support/folders.ts';
import { startBaseline, startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';
import { compareLatencies } from './while-uploading.ts';

const MB = 1024 ** 2;
const CARD = '<li><div class="detpost"><a href="/anime/x/"><b class="epz">1</b></a></div></li>';

/** Latency of the listing while the crawler parses a hostile page of 5 MB repeatedly. */
export function measureWhileParsing(): Promise<Row[]> {
  return inFolder(async (folder) => {
    await crawlInto(folder);
    const source = await openHostileSource();
    const service = await startService(folder, {
      SOURCE_URLS: source.origin,
      SOURCE_DELAY: '0',
      REFRESH_CRON: '* * * * * *',
    });
    const target = '/api/anime/home?page=2';
    const baseline = await startBaseline(
      'answer',
      await exchange(service.address + target, { 'Accept-Encoding': 'br' }),
    );
    const nothing = () => ({ stop: async () => {} });
    const rows = await compareLatencies(service.address, baseline.address, nothing);
    await Promise.all([service.stop(), baseline.stop()]);
    source.close();
    return [
      ...rows,
      { what: 'pages of 5 MB read meanwhile', values: [source.served()], wanted: { atLeast: 5 } },
    ];
  });
}

async function openHostileSource() {
  const cards = CARD.repeat(Math.floor((5 * MB - 1_000) / CARD.length));
  const page = Buffer.from(
    `<html><body><div class="kgjdwl321"><div class="kglist321"><h2>Senin</h2><ul>${cards}</ul></div></div></body></html>`,
  );
  let served = 0;
  const server = createServer((_request, response) => {
    served += 1;
    response.writeHead(200, { 'Content-Type': 'text/html; charset=UTF-8' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served: () => served,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
