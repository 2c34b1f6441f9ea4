import { AppError } from '../domain/errors.ts';
import type { OngoingPage, SchedulePage } from '../source/source.ts';
import { validatePage } from '../source/validate-page.ts';
import type { DoctorContext } from './context.ts';

/** What came of asking for one page, once: the doctor tells what it sees and does not try again. */
export interface Reading<Parsed> {
  address: string;
  /** The address that answered in the end; the first when none did. */
  url: string;
  tookMs: number;
  result: { parsed: Parsed; error?: undefined } | { parsed?: undefined; error: AppError };
}

export interface PageReader {
  schedule(origin: string): Promise<Reading<SchedulePage>>;
  ongoing(origin: string, page: number): Promise<Reading<OngoingPage>>;
}

/** Reads as the crawler does, through the same door and the same parsers, one page at a time. */
export function createPageReader({ site, fetcher, settings, elapsedMs }: DoctorContext): PageReader {
  const { signal } = new AbortController();
  /** Waiting for one's turn is no fault of the source's. */
  let nextTurnAt = 0;

  async function read<Parsed>(
    origin: string,
    path: string,
    parse: (html: string, pageUrl: string) => Parsed,
  ): Promise<Reading<Parsed>> {
    const address = new URL(path, origin).href;
    const startedAt = Math.max(elapsedMs(), nextTurnAt);
    nextTurnAt = startedAt + settings.source.delayMs;
    let url = address;
    const end = (result: Reading<Parsed>['result']) => ({
      address,
      url,
      tookMs: Math.max(0, Math.round(elapsedMs() - startedAt)),
      result,
    });
    try {
      const fetched = await fetcher.fetchPage(address, signal);
      url = fetched.url;
      return end({ parsed: validatePage(fetched, () => parse(fetched.html, url)) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return end({ error });
    }
  }

  return {
    schedule: (origin) => read(origin, site.schedulePath, site.parseSchedule),
    ongoing: (origin, page) => read(origin, site.ongoingPath(page), site.parseOngoing),
  };
}
