import type { Report } from '../domain/operational-event.ts';
import type { PageFetcher, Validators } from './fetch-page.ts';
import { createRetry, type Retry } from './retry.ts';
import type { Site } from './sites/site.ts';
import type { Source, Visit } from './source.ts';
import { validatePage } from './validate-page.ts';

export interface SourceOptions {
  mirrors: readonly string[];
  fetcher: PageFetcher;
  timeoutMs: number;
  /** The least time between two requests. */
  delayMs: number;
  random: () => number;
  report: Report;
}

/** Binds a site to the door out, page by page: fetch → validatePage → parse. */
export function openSource(site: Site, options: SourceOptions): Source {
  const { fetcher, mirrors } = options;
  /**
   * The last validators and the parsed page of each address, for a 304. They stay in memory: the store has the merged
   * listing and no pages, and validators without their page would be worth nothing. A restart costs some full requests.
   */
  const known = new Map<string, { validators: Validators; parsed: unknown }>();

  function visit(mirror: string, patience: Retry): Visit {
    let origin = mirror;

    async function read<Parsed>(
      path: string,
      parse: (html: string, pageUrl: string) => Parsed,
    ): Promise<Parsed> {
      const address = new URL(path, origin).href;
      const last = known.get(address);
      return patience(address, async (signal) => {
        const fetched = await fetcher.fetchPage(address, signal, last?.validators);
        origin = new URL(fetched.url).origin;
        if (fetched.status === 304 && last) return last.parsed as Parsed;
        const parsed = validatePage(fetched, () => parse(fetched.html, fetched.url));
        known.set(address, { validators: fetched.validators, parsed });
        return parsed;
      });
    }
    return {
      readSchedule: () => read(site.schedulePath, site.parseSchedule),
      readOngoing: (page) => read(site.ongoingPath(page), site.parseOngoing),
      origin: () => origin,
    };
  }

  return {
    mirrors,
    beginCrawl(signal) {
      const patience = createRetry({ ...options, signal });
      return (mirror) => visit(mirror, patience);
    },
    close: () => fetcher.close(),
  };
}
