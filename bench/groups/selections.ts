import type { AnimeListing } from '../../src/publishing/schemas/listing.ts';
import type { FromSchema } from '../../src/publishing/schemas/schema.ts';
import { crawlInto } from '../support/crawl-into.ts';
import { inFolder } from '../support/folders.ts';
import { fire } from '../support/load.ts';
import { perCpuSecond, ratios } from '../support/measure.ts';
import { type MeasuredServer, startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

const AMOUNT = 1_000;
const DISTINCT = 500;
const SLUGS = 20;
const HEADERS = { 'Accept-Encoding': 'br' };

interface Case {
  what: string;
  /** The addresses that are asked for in turn. */
  paths: string[];
  atLeast: number;
}

/** Requests a CPU second for answers about chosen anime, compared with the whole listing from the same service. */
export function measureSelections(): Promise<Row[]> {
  return inFolder(async (folder) => {
    await crawlInto(folder);
    const service = await startService(folder, { REFRESH_CRON: '0 0 1 1 *' });
    const rows: Row[] = [];
    for (const one of await casesOf(service)) rows.push(await measureCase(service, one));
    await service.stop();
    return rows;
  });
}

async function casesOf({ address }: MeasuredServer): Promise<Case[]> {
  const { data } = (await (await fetch(`${address}/api/anime`)).json()) as FromSchema<typeof AnimeListing>;
  const slugs = data.ongoing.map(({ slug }) => slug);
  const chooseSlugs = (round: number) => {
    const step = 1 + (round % 7);
    const chosen = Array.from({ length: SLUGS }, (_, index) => slugs[(round + index * step) % slugs.length]);
    return `/api/anime?slugs=${chosen.join()}`;
  };
  const rounds = Array.from({ length: DISTINCT }, (_, round) => round);
  return [
    { what: 'releases of today', paths: ['/api/anime/releases?day=today'], atLeast: 0.5 },
    { what: `${SLUGS} slugs`, paths: [chooseSlugs(0)], atLeast: 0.33 },
    { what: 'a search', paths: ['/api/anime?q=naga%20malam'], atLeast: 0.5 },
    {
      what: `${DISTINCT} searches that find nothing`,
      paths: rounds.map((round) => `/api/anime?q=entah${round}`),
      atLeast: 0.5,
    },
    { what: `${DISTINCT} different choices of ${SLUGS} slugs`, paths: rounds.map(chooseSlugs), atLeast: 0.2 },
  ];
}

async function measureCase(service: MeasuredServer, { what, paths, atLeast }: Case): Promise<Row> {
  const measure = (wanted: string[]) => () =>
    perCpuSecond(service, () =>
      fire({ url: service.address, paths: wanted, amount: AMOUNT, headers: HEADERS }),
    );
  const values = await ratios(measure(['/api/anime']), measure(paths));
  return { what: `${what}, br: requests a CPU second`, values, wanted: { atLeast } };
}
