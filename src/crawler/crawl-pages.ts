import { AppError } from '../domain/errors.ts';
import type { Listing } from '../domain/listing.ts';
import { type OngoingPage, refuse, type Visit } from '../source/source.ts';
import type { ReadPages } from './guard/crawl-index.ts';
import { checkOngoingPage, checkReadablePages } from './guard/guard.ts';

/** The most pages that are read: the real list has three to six. */
const MAX_PAGES = 100;
/** Between two crawls, a known list grows to no more than this many times its pages, and a few more. */
const MAX_GROWTH = 3;
const MAX_MORE_PAGES = 3;
/** How many pages a list may gain while it is being read. */
const MAX_NEW_PAGES = 2;
/** How often a list that keeps moving is read from its first page to its last. */
const MAX_WALKS = 3;

type OngoingPages = Omit<ReadPages, 'schedule'>;

interface CrawlPagesOptions {
  visit: Visit;
  lastGood: Listing | undefined;
  force: boolean;
  /** Called after each page, with the number of pages of the list. */
  onPage: (page: string, pages: number) => void;
}

/** Reads the ongoing list from its first page to its last. Throws AppError when the pages do not add up. */
export async function crawlPages(options: CrawlPagesOptions): Promise<OngoingPages> {
  let known = new Set<string | undefined>(options.lastGood?.ongoing.map(({ slug }) => slug));
  let walked = await walk(options);
  for (let walks = 1; walks < MAX_WALKS && mayLack(walked, known); walks += 1) {
    known = slugsOf(...walked.pages);
    walked = await walk(options);
  }
  return walked;
}

async function walk(options: CrawlPagesOptions): Promise<OngoingPages> {
  const first = await readPage(options, 1);
  checkLength(first, options);
  const pages = [first];
  const seen = slugsOf(first);
  for (let last = first; last.number < last.lastNumber; pages.push(last)) {
    const asked = last.number + 1;
    const next = await readPage(options, asked, first);
    checkProgress(next, seen, last, first);
    for (const slug of slugsOf(next)) seen.add(slug);
    last = next;
  }
  checkReadablePages(pages, options.force);
  return { pages, firstAgain: pages.length === 1 ? first : await readPage(options, 1) };
}

/** Refuses a pager that names more pages than the list can have. */
function checkLength(first: OngoingPage, { lastGood, force }: CrawlPagesOptions): void {
  const known = Math.ceil((lastGood?.ongoing.length ?? 0) / first.cards.length);
  const most = known > 0 && !force ? Math.min(MAX_PAGES, known * MAX_GROWTH + MAX_MORE_PAGES) : MAX_PAGES;
  if (first.lastNumber <= most) return;
  refuse(`the pager names ${first.lastNumber} pages, more than the ${most} that are believable`);
}

/** Refuses pages whose pagers contradict each other, and a page that repeats those before it. */
function checkProgress(
  page: OngoingPage,
  seen: ReadonlySet<string | undefined>,
  previous: OngoingPage,
  first: OngoingPage,
): void {
  const end = `page ${page.number} says at ${page.lastNumber}`;
  if (page.lastNumber < previous.lastNumber) {
    refuse(`page ${previous.number} says that the list ends at ${previous.lastNumber}, ${end}`);
  }
  if (page.lastNumber > first.lastNumber + MAX_NEW_PAGES) {
    refuse(`page 1 says that the list ends at ${first.lastNumber}, ${end}`);
  }
  const isRepeated = page.cards.every(({ slug }) => slug !== undefined && seen.has(slug));
  if (page.number < page.lastNumber && isRepeated) {
    refuse(`page ${page.number} of the ongoing list has no anime that is not on a page before it`);
  }
}

async function readPage(
  { visit, force, onPage }: CrawlPagesOptions,
  asked: number,
  first?: OngoingPage,
): Promise<OngoingPage> {
  const page = await visit.readOngoing(asked).catch((error: unknown) => {
    if (!first || !(error instanceof AppError) || error.code !== 'source-moved') throw error;
    return refuse(
      `page ${asked} of the ongoing list is missing although the pager goes to ${first.lastNumber}`,
    );
  });
  checkOngoingPage(page, asked, first ?? page, force);
  onPage(`ongoing page ${asked}`, page.lastNumber);
  return page;
}

/**
 * Whether an anime may have been lost at a seam: when one leaves the list, those after it slide up, from a page not
 * yet read to one already read. It shows as an anime that is missing although it is known, from the last good list or
 * from the walk before this one, or as page 1 having lost one in its midst or gained one at its end, or naming another
 * last page, while the others were read. Reading all pages once more decides it.
 */
function mayLack({ pages, firstAgain }: OngoingPages, known: ReadonlySet<string | undefined>): boolean {
  if (firstAgain.lastNumber > pages.length) return true;
  const seen = slugsOf(firstAgain, ...pages);
  if (!known.isSubsetOf(seen)) return true;
  const before = [...slugsOf(...pages.slice(0, 1))];
  const after = slugsOf(firstAgain);
  const firstGone = before.findIndex((slug) => !after.has(slug));
  const lastStaying = before.findLastIndex((slug) => after.has(slug));
  const gainedAtEnd = !before.includes([...after].at(-1));
  return gainedAtEnd || (firstGone !== -1 && firstGone < lastStaying);
}

function slugsOf(...pages: OngoingPage[]): Set<string | undefined> {
  return new Set(pages.flatMap((page) => page.cards.map((card) => card.slug)));
}
