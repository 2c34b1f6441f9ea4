import { createHash } from 'node:crypto';
import { createRefresh } from '../../src/crawler/refresh.ts';
import { openSnapshotStore } from '../../src/crawler/snapshot-store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import { createRefreshTimes } from '../../src/crawler/timing/refresh-times.ts';
import { createCatalogue } from '../../src/demo/catalogue.ts';
import { renderOngoingPage, renderSchedulePage } from '../../src/demo/pages.ts';
import type { Snapshot } from '../../src/domain/listing.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { createSource } from '../../src/source/create-source.ts';
import type { PageFetcher } from '../../src/source/fetch-page.ts';
import type { FetchedPage } from '../../src/source/fetched-page.ts';
import { otakudesu } from '../../src/source/sites/otakudesu/site.ts';

export const MIRROR = 'https://otakudesu.example';
const NOW = Date.parse('2026-11-20T05:00:00Z');
const UNTIMED = { timer: undefined, peekMs: null, random: () => 0, now: () => NOW };
const { anime } = createCatalogue(new Date(NOW));

export const SCHEDULE = otakudesu.schedulePath;
export const LAST_PAGE = 6;
export const listPath = (page: number) => otakudesu.ongoingPath(page);

/** The sample site, whole: each path and its page. */
export const SITE: ReadonlyMap<string, string> = new Map([
  [SCHEDULE, renderSchedulePage(MIRROR, anime)],
  ...Array.from({ length: LAST_PAGE }, (_, index): [string, string] => [
    listPath(index + 1),
    renderOngoingPage(MIRROR, anime, index + 1),
  ]),
]);

/** What the site serves in place of its own page: always, or from the second reading in a crawl on. */
export interface Fault {
  path: string;
  html: string;
  onlyAgain?: boolean;
}

/** What a refresh did, and the pages it did it on. */
export interface Run {
  error: unknown;
  before: Snapshot | undefined;
  after: Snapshot | undefined;
  events: OperationalEvent[];
  /** Every text that was served for a path. */
  served: Map<string, Set<string>>;
}

/** The whole refresh over a site whose pages can be broken. A text is parsed once, and "not modified" then. */
export function openMutableSite() {
  let faults: readonly Fault[] = [];
  let readings = new Map<string, number>();
  let served: Run['served'] = new Map();

  const fetcher: PageFetcher = {
    async fetchPage(url, _signal, validators) {
      const { pathname } = new URL(url);
      const reading = (readings.get(pathname) ?? 0) + 1;
      readings.set(pathname, reading);
      const fault = faults.find(({ path, onlyAgain }) => path === pathname && (!onlyAgain || reading > 1));
      const html = fault?.html ?? SITE.get(pathname);
      served.set(pathname, (served.get(pathname) ?? new Set()).add(html ?? ''));
      if (html === undefined) return answer(url, 404, '');
      const tag = { 'if-none-match': createHash('sha256').update(html).digest('hex') };
      const isKnown = validators?.['if-none-match'] === tag['if-none-match'];
      return answer(url, isKnown ? 304 : 200, isKnown ? '' : html, tag);
    },
    close: async () => {},
  };
  let report: (event: OperationalEvent) => void = () => {};
  const source = createSource(otakudesu, {
    mirrors: [MIRROR],
    fetcher,
    timeoutMs: 10_000,
    delayMs: 0,
    random: () => 0,
    report: (event) => report(event),
  });

  return async function run(broken: readonly Fault[], before: Snapshot | undefined): Promise<Run> {
    faults = broken;
    readings = new Map();
    served = new Map();
    const events: OperationalEvent[] = [];
    report = (event) => void events.push(event);
    const store = await openSnapshotStore(await openMemoryStore(), () => 0.5);
    if (before) await store.writeSnapshot(before);
    const refresh = createRefresh({
      source,
      store,
      report,
      now: () => NOW,
      times: createRefreshTimes(UNTIMED),
    });
    const error = await refresh({ force: false, signal: new AbortController().signal }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { error, before, after: await store.readSnapshot(), events, served };
  };
}

function answer(
  url: string,
  status: number,
  html: string,
  validators: FetchedPage['validators'] = {},
): FetchedPage {
  return { url, status, html, isUtf8: true, validators, challenged: false, retryAfterMs: undefined };
}
