import { AppError } from '../domain/errors.ts';
import type { Snapshot } from '../domain/listing.ts';
import type { Report } from '../domain/report.ts';
import type { OngoingPage, SchedulePage, Source, Visit } from '../source/source.ts';
import { checkOngoingPage, checkOngoingPages, checkSchedulePage } from './guard.ts';

/** The longest list that is walked. */
const MOST_PAGES = 1_000;

export interface Crawl extends Walk {
  mirror: string;
  schedule: SchedulePage;
}

interface Walk {
  /** Every page of the list, in order. */
  pages: OngoingPage[];
  /** Page 1 as it stood when the last page had been read. */
  firstAgain: OngoingPage;
}

export interface CrawlOptions {
  source: Source;
  /** The mirror that served last time goes first. */
  preferred: string | null;
  lastGood: Snapshot | undefined;
  force: boolean;
  report: Report;
  signal: AbortSignal;
}

/** Crawls the first mirror on which everything adds up. When none does, throws what the first of them did wrong. */
export async function crawl({
  source,
  preferred,
  lastGood,
  force,
  report,
  signal,
}: CrawlOptions): Promise<Crawl> {
  const mirrors = source.mirrors.toSorted((a, b) => Number(b === preferred) - Number(a === preferred));
  const visit = source.beginCrawl(signal);
  let firstError: unknown;
  let done = 0;
  for (const mirror of mirrors) {
    try {
      report({ type: 'refresh-started', mirror });
      return await crawlMirror(mirror, visit(mirror));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      if (mirrors.length > 1) report({ type: 'mirror-failed', mirror, error });
      firstError ??= error;
    }
  }
  throw firstError;

  async function crawlMirror(mirror: string, pagesOf: Visit): Promise<Crawl> {
    done = 0;
    const schedule = await pagesOf.readSchedule();
    checkSchedulePage(schedule, force);
    noteRead('schedule', undefined);
    let walked = await walk(pagesOf);
    if (mayLack(walked, lastGood)) walked = await walk(pagesOf);
    return { mirror, schedule, ...walked };
  }

  async function walk(pagesOf: Visit): Promise<Walk> {
    const first = await readPage(pagesOf, 1);
    const pages = [first];
    for (let last = first; last.number < last.lastNumber; pages.push(last)) {
      const asked = last.number + 1;
      if (asked > MOST_PAGES)
        throw new AppError('source-changed', `the ongoing list goes on after page ${MOST_PAGES}`);
      const next = await readPage(pagesOf, asked, first);
      if (next.lastNumber < last.lastNumber) {
        const reason = `page ${asked} says that the list ends at ${next.lastNumber}, page ${last.number} says at ${last.lastNumber}`;
        throw new AppError('source-changed', reason);
      }
      last = next;
    }
    checkOngoingPages(pages, force);
    const firstAgain = pages.length === 1 ? first : await readPage(pagesOf, 1);
    return { pages, firstAgain };
  }

  async function readPage(pagesOf: Visit, asked: number, first?: OngoingPage): Promise<OngoingPage> {
    const page = await pagesOf.readOngoing(asked).catch((error: unknown) => {
      if (!first || !(error instanceof AppError) || error.code !== 'source-moved') throw error;
      const reason = `page ${asked} of the ongoing list is missing although the pager goes to ${first.lastNumber}`;
      throw new AppError('source-changed', reason, { cause: error });
    });
    checkOngoingPage(page, asked, first ?? page, force);
    noteRead(`ongoing page ${asked}`, page.lastNumber + 2);
    return page;
  }

  function noteRead(page: string, total: number | undefined): void {
    done += 1;
    report({ type: 'page-read', page, done, total });
  }
}

/**
 * Whether an anime may have been lost at a seam: when one leaves the list, those after it slide up, from a page not
 * yet read to one already read. It shows as an anime of the last good list that is missing, or as one of page 2
 * that is now at the end of page 1. Walking once more tells.
 */
function mayLack({ pages, firstAgain }: Walk, lastGood: Snapshot | undefined): boolean {
  const [first, second] = pages;
  const seen = slugsOf(firstAgain, ...pages);
  if (lastGood?.ongoing.some((anime) => !seen.has(anime.slug))) return true;
  const lastOfFirst = firstAgain.cards.at(-1)?.slug;
  return (
    !!first &&
    !!second &&
    !!lastOfFirst &&
    !slugsOf(first).has(lastOfFirst) &&
    slugsOf(second).has(lastOfFirst)
  );
}

function slugsOf(...pages: OngoingPage[]): Set<string | undefined> {
  return new Set(pages.flatMap((page) => page.cards.map((card) => card.slug)));
}
