import { startNginx, startVarnish } from '../../test/support/proxies.ts';
import { openOrigin, readAsMany } from '../../test/support/readers.ts';
import { crawlInto } from '../support/crawl-into.ts';
import { inFolder } from '../support/folders.ts';
import { startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

const AMOUNT = 50_000;
const CACHES = { nginx: startNginx, Varnish: startVarnish };

/** How many of the requests of many readers a cache answers, as deploy/ configures it, and how many it does not. */
export function measureCaches(): Promise<Row[]> {
  return inFolder(async (folder) => {
    await crawlInto(folder);
    const service = await startService(folder);
    const { data } = (await (await fetch(`${service.address}/api/anime`)).json()) as {
      data: { ongoing: { slug: string }[] };
    };
    const slugs = data.ongoing.map(({ slug }) => slug);
    const rows: Row[] = [];
    for (const [name, start] of Object.entries(CACHES)) {
      const undo: (() => unknown)[] = [];
      const origin = await openOrigin(service.address, (step) => void undo.push(step));
      const behind = { listing: origin.address, uploads: service.uploads };
      const front = await start([behind], (step) => void undo.push(step));
      const wrong = await readAsMany(front.listing, slugs, AMOUNT);
      for (const step of undo.reverse()) await step();
      const share = 100 * (1 - (origin.requests + wrong) / AMOUNT);
      rows.push({
        what: `${name}: of ${AMOUNT.toLocaleString('en')} requests, answered from a copy`,
        values: [share],
        unit: '%',
        wanted: { atLeast: 95 },
      });
    }
    await service.stop();
    return rows;
  });
}
