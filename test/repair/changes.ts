import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Snapshot } from '../../src/domain/listing.ts';
import { listPath, MIRROR, type Pages, SAMPLE_PAGES, SCHEDULE } from '../support/sample-pages.ts';
import type { Change } from './change.ts';
import { listLies } from './lies.ts';
import { listRenames } from './renames.ts';
import { listRestructures } from './restructures.ts';
import { refreshFrom } from './run-change.ts';

/** Which share of the anime is new since the snapshot: anywhere in the list, or all on top. */
export const NOVELTIES = [
  { name: '0 % new', share: 0, isOnTop: false },
  { name: '3 % new', share: 0.03, isOnTop: false },
  { name: '10 % new', share: 0.1, isOnTop: false },
  { name: '40 % new', share: 0.4, isOnTop: false },
  { name: '40 % new on top', share: 0.4, isOnTop: true },
];
export type Novelty = (typeof NOVELTIES)[number];

export interface KnownSite {
  name: string;
  pages: Pages;
  /** What the pages say by the written selectors. */
  whole: Snapshot;
}

/** The sample site, and the captured one where there are captures. */
export async function openSites(): Promise<KnownSite[]> {
  const sites = [
    { name: 'the sample site', pages: SAMPLE_PAGES },
    { name: 'the captures', pages: capturedSite() },
  ];
  const known: KnownSite[] = [];
  for (const { name, pages } of sites) {
    if (!pages) continue;
    const { error, after } = await refreshFrom(pages, undefined);
    if (!after) throw error;
    known.push({ name, pages, whole: after });
  }
  return known;
}

export function listChanges(pages: Pages): Change[] {
  return [...listRenames(pages), ...listRestructures(), ...listLies()];
}

const CARD = "<li><div class='detpost'>";
const PAGES_OF_CAPTURE = 3;

/**
 * The captured schedule, and the captured page of the list cut into pages of its own; undefined where there are no
 * captures. Only the first of the six pages of the list was captured.
 */
function capturedSite(): Pages | undefined {
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
    return [listPath(index + 1), (head + shown + tail).replaceAll(origin, MIRROR)];
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
