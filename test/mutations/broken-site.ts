import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { openPageRefresh, openPageSource, SAMPLE_PAGES } from '../support/sample-pages.ts';

/** What the site serves in place of its own page: always, or from the second reading in a crawl on. */
interface BrokenPage {
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

/** The whole refresh over the sample site, one page of which can be broken. A text is parsed once, and "not modified" then. */
export function openBreakableSite() {
  let broken: BrokenPage | undefined;
  let readings = 0;
  let run: Pick<Run, 'events' | 'served'> = { events: [], served: new Map() };
  const report = (event: OperationalEvent) => void run.events.push(event);
  const source = openPageSource((path) => {
    const isBroken = path === broken?.path;
    readings += Number(isBroken);
    const html = isBroken && (!broken?.onlyAgain || readings > 1) ? broken?.html : SAMPLE_PAGES.get(path);
    run.served.set(path, (run.served.get(path) ?? new Set()).add(html ?? ''));
    return html;
  }, report);

  return async function refresh(page: BrokenPage | undefined, before: Snapshot | undefined): Promise<Run> {
    broken = page;
    readings = 0;
    run = { events: [], served: new Map() };
    const { store, attempt } = await openPageRefresh(source, { before, report });
    return { ...run, error: await attempt(), before, after: await store.readSnapshot() };
  };
}
