import { AppError } from '../domain/errors.ts';
import type { PageModel } from '../source/repair/page-model.ts';
import { createRepairingReader } from '../source/repair/repairing-reader.ts';
import type { CrawlMemory, OngoingPage, SchedulePage } from '../source/source.ts';
import { validatePage } from '../source/validate-page.ts';
import type { DoctorContext } from './context.ts';

/** The result of one request for a page, without retries. */
export interface Reading<Parsed> {
  /** The address that answered, after redirects; the requested one when none did. */
  url: string;
  tookMs: number;
  result: { parsed: Parsed; error?: undefined } | { parsed?: undefined; error: AppError };
}

export interface MirrorProbe {
  mirror: string;
  schedule: Reading<SchedulePage>;
  /** Read only when the schedule is not recognised, to tell a changed page from a foreign host. */
  ongoing: Reading<OngoingPage> | undefined;
}

/** The pages of the first mirror that serves the site. */
export interface SitePages {
  origin: string;
  schedule: Reading<SchedulePage>;
  first: Reading<OngoingPage>;
  /** Undefined when there is one page only, or the first page does not say how many there are. */
  last: Reading<OngoingPage> | undefined;
}

interface PageReader {
  schedule(origin: string): Promise<Reading<SchedulePage>>;
  ongoing(origin: string, page: number): Promise<Reading<OngoingPage>>;
}

/**
 * Reads pages with the fetcher, the validation and the parsers of the crawler, one at a time, by the selectors of its
 * last good crawl where the written ones do not match.
 */
export function createPageReader(
  { site, fetcher, settings, elapsedMs }: DoctorContext,
  readMemory: () => Promise<CrawlMemory | undefined>,
): PageReader {
  const { signal } = new AbortController();
  /** The throttle delays a request until then, which `tookMs` leaves out. */
  let nextStartMs = 0;

  async function read<Parsed>(
    origin: string,
    path: string,
    model: PageModel<Parsed>,
    number: number,
  ): Promise<Reading<Parsed>> {
    let url = new URL(path, origin).href;
    const startedAt = Math.max(elapsedMs(), nextStartMs);
    nextStartMs = startedAt + settings.source.delayMs;
    const finish = (result: Reading<Parsed>['result']) => ({
      url,
      tookMs: Math.max(0, Math.round(elapsedMs() - startedAt)),
      result,
    });
    try {
      const fetched = await fetcher.fetchPage(url, signal);
      url = fetched.url;
      const reader = createRepairingReader(model, await readMemory());
      return finish({ parsed: validatePage(fetched, () => reader.read(fetched.html, url, number)) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return finish({ error });
    }
  }

  return {
    schedule: (origin) => read(origin, site.schedulePath, site.schedule, 1),
    ongoing: (origin, page) => read(origin, site.ongoingPath(page), site.ongoing, page),
  };
}

export function isServing({ schedule, ongoing }: MirrorProbe): boolean {
  return Boolean(schedule.result.parsed ?? ongoing?.result.parsed);
}

export async function probeMirror(reader: PageReader, mirror: string): Promise<MirrorProbe> {
  const schedule = await reader.schedule(mirror);
  const isForeign = ['source-moved', 'source-changed'].includes(schedule.result.error?.code ?? '');
  return { mirror, schedule, ongoing: isForeign ? await reader.ongoing(mirror, 1) : undefined };
}

/** Reads the first and the last ongoing page; undefined when no mirror serves the site. */
export async function readSite(
  reader: PageReader,
  probes: readonly MirrorProbe[],
): Promise<SitePages | undefined> {
  const probe = probes.find(isServing);
  if (!probe) return undefined;
  const { origin } = new URL((probe.ongoing ?? probe.schedule).url);
  const first = probe.ongoing ?? (await reader.ongoing(origin, 1));
  const lastNumber = first.result.parsed?.lastNumber ?? 1;
  const last = lastNumber > 1 ? await reader.ongoing(origin, lastNumber) : undefined;
  return { origin, schedule: probe.schedule, first, last };
}
