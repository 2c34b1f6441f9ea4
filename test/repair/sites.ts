import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createCatalogue } from '../../src/demo/catalogue.ts';
import { renderOngoingPage, renderSchedulePage } from '../../src/demo/pages.ts';
import { otakudesu } from '../../src/source/sites/otakudesu/site.ts';

/** Each path of a site and its page. */
export type Pages = ReadonlyMap<string, string>;

export const MIRROR = 'https://otakudesu.example';
export const NOW = Date.parse('2026-11-20T05:00:00Z');
export const SCHEDULE = otakudesu.schedulePath;

const CARD = "<li><div class='detpost'>";
const PAGES_OF_CAPTURE = 3;

/** The sample site: six pages of the list, and the schedule. */
export function sampleSite(): Pages {
  const { anime } = createCatalogue(new Date(NOW));
  const pages = Array.from({ length: 6 }, (_, index): [string, string] => [
    otakudesu.ongoingPath(index + 1),
    renderOngoingPage(MIRROR, anime, index + 1),
  ]);
  return new Map([[SCHEDULE, renderSchedulePage(MIRROR, anime)], ...pages]);
}

/**
 * The captured schedule, and the captured page of the list cut into pages of its own; undefined where there are no
 * captures. Only the first of the six pages of the list was captured.
 */
export function capturedSite(): Pages | undefined {
  const folder = process.env.SOURCE_PAGES_DIR;
  const [list, week] = ['ongoing-page-1', 'schedule'].map((name) =>
    path.join(folder ?? '', `2026-02-11-${name}.html`),
  );
  if (!folder || !list || !week || !existsSync(list) || !existsSync(week)) return undefined;
  const html = readFileSync(list, 'utf8');
  const origin = /https:\/\/otakudesu\.\w+/u.exec(html)?.[0] ?? MIRROR;
  const [head = '', ...cards] = html.split(CARD);
  const last = cards.pop() ?? '';
  const end = last.indexOf('</ul>');
  const all = [...cards, last.slice(0, end)].map((card) => CARD + card);
  const size = Math.ceil(all.length / PAGES_OF_CAPTURE);
  const pages = Array.from({ length: PAGES_OF_CAPTURE }, (_, index): [string, string] => {
    const shown = all.slice(index * size, (index + 1) * size).join('');
    const pager = renderPager(origin, index + 1);
    const tail = last.slice(end).replace(/<div class="pagenavix">.*?<\/div>/su, pager);
    return [otakudesu.ongoingPath(index + 1), (head + shown + tail).replaceAll(origin, MIRROR)];
  });
  return new Map([[SCHEDULE, readFileSync(week, 'utf8').replaceAll(origin, MIRROR)], ...pages]);
}

function renderPager(origin: string, current: number): string {
  const numbers = Array.from({ length: PAGES_OF_CAPTURE }, (_, index) => index + 1);
  const items = numbers.map((number) =>
    number === current
      ? `<span aria-current="page" class="page-numbers current">${number}</span>`
      : `<a class="page-numbers" href="${origin}/ongoing-anime/page/${number}/">${number}</a>`,
  );
  return `<div class="pagenavix"><span>Pages</span>${items.join('')}</div>`;
}
