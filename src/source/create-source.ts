import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import type { PageFetcher } from './fetch-page.ts';
import type { Validators } from './fetched-page.ts';
import type { PageModel } from './repair/page-model.ts';
import { createRepairingReader, type RepairingReader } from './repair/repairing-reader.ts';
import { createRetry, type Retry } from './retry.ts';
import type { AnimePage, CrawlMemory, OngoingPage, SchedulePage, Source, Visit } from './source.ts';
import { validateAnimePage, validatePage } from './validate-page.ts';

/** The paths of a site's pages, and how each kind of page is read. */
export interface Site {
  readonly name: string;
  readonly schedulePath: string;
  ongoingPath(page: number): string;
  readonly schedule: PageModel<SchedulePage>;
  readonly ongoing: PageModel<OngoingPage>;
  animePath(slug: string): string;
  /** Throws AppError `source-moved` for a page that is not of an anime. */
  parseAnime(html: string, pageUrl: string): AnimePage;
}

/** The search for a page with listed anime ends at this page. */
const MAX_SEARCHED_PAGE = 6;
/** How many parsed pages are kept for conditional requests; list pages are read most. */
const MAX_CACHED_PAGES = 500;

interface CachedPage {
  url: string;
  validators: Validators;
  parsed: unknown;
}

interface SourceOptions {
  mirrors: readonly string[];
  fetcher: PageFetcher;
  timeoutMs: number;
  /** The least time between two requests. */
  delayMs: number;
  random: () => number;
  report: Report;
}

/** Reads a site through the fetcher. Fetches, validates and parses each page; retries transient failures. */
export function createSource(site: Site, options: SourceOptions): Source {
  const { fetcher, mirrors } = options;
  /**
   * The last page of each address that has validators, which a 304 confirms. `url` is what answered, after redirects.
   * They are in memory alone: the store has no pages, and validators are useless without their page.
   */
  const cache = new Map<string, CachedPage>();
  /** The page of an anime has no selectors to repair: it is read by its labels where they do not match. */
  const parseAnime = (html: string, url: string) => ({ parsed: site.parseAnime(html, url), isWritten: true });

  function visit(mirror: string, retry: Retry, memory: CrawlMemory | undefined): Visit {
    let origin = mirror;
    const schedule = createRepairingReader(site.schedule, memory);
    const ongoing = createRepairingReader(site.ongoing, memory);

    /** Only pages that the written selectors read are cached: repaired selectors are checked in every crawl. */
    async function read<Parsed extends object>(
      path: string,
      parse: RepairingReader<Parsed>['read'],
      validate: typeof validateAnimePage = validatePage,
    ): Promise<Parsed> {
      const address = new URL(path, origin).href;
      return retry(address, async (signal) => {
        const last = cache.get(address);
        const fetched = await fetcher.fetchPage(address, signal, last?.validators);
        const { url, validators, builtAt } = fetched;
        const from = new URL(url).origin;
        if (fetched.status === 304 && url === last?.url) {
          origin = from;
          // Each address has one parser, so its cached value has that parser's type.
          return last.parsed as Parsed;
        }
        // The next request has no conditions, so it cannot be answered with another 304.
        cache.delete(address);
        const page = validate(fetched, () => parse(fetched.html, url), address);
        // A page that is gone may redirect to another site, which has none of the others.
        origin = from;
        const parsed = { ...page.parsed, ...(builtAt !== undefined && { builtAt }) };
        if (page.isWritten && Object.keys(validators).length > 0)
          cache.set(address, { url, validators, parsed });
        const [oldest = ''] = cache.keys();
        if (cache.size > MAX_CACHED_PAGES) cache.delete(oldest);
        return parsed;
      });
    }

    /** On a first page with only new anime no selectors can be repaired: the following pages are tried before it. */
    async function readFirst(): Promise<OngoingPage> {
      const [first] = await Promise.allSettled([readList(1)]);
      if (ongoing.isUndecided()) {
        for (let number = 2; number <= MAX_SEARCHED_PAGE && ongoing.isUndecided(); number += 1) {
          await readList(number).catch(ignoreForeign);
        }
        if (!ongoing.isUndecided()) return readList(1);
      }
      if (first.status === 'rejected') throw first.reason;
      return first.value;
    }

    const readList = (number: number) => read(site.ongoingPath(number), ongoing.read);
    return {
      readSchedule: () => read(site.schedulePath, schedule.read),
      readOngoing: (page) => (page === 1 ? readFirst() : readList(page)),
      readAnime: (slug) => read(site.animePath(slug), parseAnime, validateAnimePage),
      origin: () => origin,
      repaired() {
        const results = [ongoing.result(), schedule.result()];
        return {
          repairs: results.flatMap(({ repairs }) => repairs),
          failure: results.find(({ failure }) => failure !== undefined)?.failure,
        };
      },
    };
  }

  return {
    mirrors,
    beginCrawl(signal, memory) {
      const retry = createRetry({ ...options, signal });
      return (mirror) => visit(mirror, retry, memory);
    },
    readPicture: fetcher.fetchPicture,
    close: () => fetcher.close(),
  };
}

function ignoreForeign(error: unknown): void {
  if (!(error instanceof AppError && /^source-(?:moved|changed)$/u.test(error.code))) throw error;
}
