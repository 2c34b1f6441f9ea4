import type { Report } from '../domain/operational-event.ts';
import type { PageFetcher } from './fetch-page.ts';
import type { Validators } from './fetched-page.ts';
import { createRetry, type Retry } from './retry.ts';
import type { Site } from './sites/site.ts';
import type { Source, Visit } from './source.ts';
import { validatePage } from './validate-page.ts';

interface SourceOptions {
  mirrors: readonly string[];
  fetcher: PageFetcher;
  timeoutMs: number;
  /** The least time between two requests. */
  delayMs: number;
  random: () => number;
  report: Report;
}

/** Reads a site through the fetcher. Each page is fetched, validated and parsed; a passing failure is retried. */
export function openSource(site: Site, options: SourceOptions): Source {
  const { fetcher, mirrors } = options;
  /**
   * The last validators and the parsed page of each address, which a 304 confirms. They stay in memory: the store has
   * the merged listing and no pages, and validators without their page would be worth nothing.
   */
  const cache = new Map<string, { validators: Validators; parsed: unknown }>();

  function visit(mirror: string, retry: Retry): Visit {
    let origin = mirror;

    async function read<Parsed>(
      path: string,
      parse: (html: string, pageUrl: string) => Parsed,
    ): Promise<Parsed> {
      const address = new URL(path, origin).href;
      const last = cache.get(address);
      return retry(address, async (signal) => {
        const fetched = await fetcher.fetchPage(address, signal, last?.validators);
        origin = new URL(fetched.url).origin;
        // Each address has one parser, so what is cached for it has its type.
        if (fetched.status === 304 && last) return last.parsed as Parsed;
        const parsed = validatePage(fetched, () => parse(fetched.html, fetched.url));
        cache.set(address, { validators: fetched.validators, parsed });
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
      const retry = createRetry({ ...options, signal });
      return (mirror) => visit(mirror, retry);
    },
    close: () => fetcher.close(),
  };
}
