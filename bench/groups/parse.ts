import { readFile } from 'node:fs/promises';
import { load } from 'cheerio/slim';
import { createCatalogue } from '../../src/demo/catalogue.ts';
import { renderOngoingPage } from '../../src/demo/pages.ts';
import { parseOngoing } from '../../test/support/parse-pages.ts';
import { cpuMsOf, ratios } from '../support/measure.ts';
import type { Row } from '../support/table.ts';

const ORIGIN = 'https://otakudesu.example';
const PARSES = 30;
const WARM_UP = 300;

/** Parsing a page of the ongoing list, compared with `load` of cheerio alone. BENCH_PAGE names a captured page. */
export async function measureParse(): Promise<Row[]> {
  const captured = process.env.BENCH_PAGE;
  const html = captured
    ? await readFile(captured, 'utf8')
    : renderOngoingPage(ORIGIN, createCatalogue(new Date()).anime, 1);
  const url = `${ORIGIN}/ongoing-anime/`;
  await cpuMsOf(WARM_UP, () => parseOngoing(html, url));
  const values = await ratios(
    () => cpuMsOf(PARSES, () => load(html)),
    () => cpuMsOf(PARSES, () => parseOngoing(html, url)),
  );
  const size = `${Math.round(html.length / 1024)} KB, ${captured ? 'captured' : 'of the sample site'}`;
  return [{ what: `ongoing page (${size}): time of load`, values, wanted: { atMost: 2 } }];
}
