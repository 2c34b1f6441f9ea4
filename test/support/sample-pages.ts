import { hash } from 'node:crypto';
import { createRefresh } from '../../src/crawler/refresh.ts';
import { createRefreshTimes } from '../../src/crawler/timing/refresh-times.ts';
import { createCatalogue } from '../../src/demo/catalogue.ts';
import { renderOngoingPage, renderSchedulePage } from '../../src/demo/pages.ts';
import type { Report } from '../../src/domain/operational-event.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { createSource } from '../../src/source/create-source.ts';
import { otakudesu } from '../../src/source/sites/otakudesu/site.ts';
import type { Source } from '../../src/source/source.ts';
import { openMemoryStore } from '../../src/store/drivers/memory.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import { fetchedPage } from '../source/support/fetched-page.ts';
import { writeStore } from './write-store.ts';

/** Each path of a site and its page. */
export type Pages = ReadonlyMap<string, string>;

export const MIRROR = 'https://otakudesu.example';
export const NOW = Date.parse('2026-11-20T05:00:00Z');
export const SCHEDULE = otakudesu.schedulePath;
export const LAST_PAGE = 6;
export const listPath = (page: number) => otakudesu.ongoingPath(page);

/** The sample site, whole: the schedule, and six pages of the list. */
export const SAMPLE_PAGES: Pages = samplePages();

function samplePages(): Pages {
  const { anime } = createCatalogue(new Date(NOW));
  const list = Array.from({ length: LAST_PAGE }, (_, index): [string, string] => [
    listPath(index + 1),
    renderOngoingPage(MIRROR, anime, index + 1),
  ]);
  return new Map([[SCHEDULE, renderSchedulePage(MIRROR, anime)], ...list]);
}

/** Reads what `pageAt` returns for a path, undefined for 404. A page that is the same again is "not modified". */
export function openPageSource(
  pageAt: (path: string) => string | undefined,
  report: Report = () => {},
): Source {
  const fetcher = {
    async fetchPage(url: string, _signal: AbortSignal, known?: { 'if-none-match'?: string }) {
      const html = pageAt(new URL(url).pathname);
      if (html === undefined) return { ...fetchedPage('', { status: 404 }), url };
      const validators = { 'if-none-match': hash('sha256', html) };
      const isKnown = known?.['if-none-match'] === validators['if-none-match'];
      return { ...fetchedPage(isKnown ? '' : html, { status: isKnown ? 304 : 200 }), url, validators };
    },
    fetchPicture: () => Promise.reject(new Error('there are no pictures')),
    close: async () => {},
  };
  const limits = { timeoutMs: 60_000, delayMs: 0, random: () => 0 };
  return createSource(otakudesu, { mirrors: [MIRROR], fetcher, ...limits, report });
}

interface PageRefreshOptions {
  /** The last good snapshot. */
  before?: Snapshot | undefined;
  report?: Report;
  now?: () => number;
}

/** The whole refresh of a source, into a store in memory. */
export async function openPageRefresh(
  source: Source,
  { before, report = () => {}, now = () => NOW }: PageRefreshOptions = {},
) {
  const store = await openSnapshotStore(await openMemoryStore(), { random: () => 0.5 });
  if (before) await writeStore(store, { listing: { snapshot: before, events: [] } });
  const times = createRefreshTimes(undefined, 180_000, now, () => 0);
  const run = createRefresh({ source, store, report, now, times });
  const { signal } = new AbortController();
  const refresh = (isPeek = false) => run({ force: false, signal, isPeek });
  /** Resolves with the error of a refresh that failed, or undefined. */
  const attempt = () =>
    refresh().then(
      () => undefined,
      (error: unknown) => error,
    );
  return { store, refresh, attempt };
}
