import type { ReadPages } from '../belief/reading.ts';
import { AppError } from '../domain/errors.ts';
import { type OngoingPage, refusePage, type Visit } from '../source/source.ts';
import { checkOngoingPage, checkPageSizes, checkReadable, slugsOf } from './page-checks.ts';

/** The most pages that a list may have: the real one has three to six. */
const MAX_PAGES = 100;
/** How many pages a list may gain or lose while it is being read. */
const MAX_NEW_PAGES = 2;
/** The list may move while it is read. It is read from its first page to its last at most this many times. */
const MAX_WALKS = 3;

type OngoingPages = Omit<ReadPages, 'schedule'>;

interface CrawlPagesOptions {
  visit: Visit;
  /** Page 1, where it was read already. */
  first: OngoingPage | undefined;
  /** The anime that the list should have. */
  known: ReadonlySet<string>;
  force: boolean;
  /** Called after each page, with the number of pages of the list. */
  onPage: (page: string, pages: number) => void;
}

/** Reads the ongoing list from its first page to its last. Throws AppError when the pages do not add up. */
export async function crawlPages(options: CrawlPagesOptions): Promise<OngoingPages> {
  let { known } = options;
  let walked = await walk(options);
  for (let walks = 1; walks < MAX_WALKS && mayHaveMissed(walked, known); walks += 1) {
    known = slugsOf(walked.pages);
    walked = await walk({ ...options, first: undefined });
  }
  return walked;
}

async function walk(options: CrawlPagesOptions): Promise<OngoingPages> {
  const first = options.first ? acceptPage(options, options.first, 1) : await readPage(options, 1);
  if (first.lastNumber > MAX_PAGES)
    refusePage(`the pager names ${first.lastNumber} pages, more than the ${MAX_PAGES} that are plausible`);
  const pages = [first];
  const seen = slugsOf([first]);
  for (let last = first; last.number < Math.max(first.lastNumber, last.lastNumber); pages.push(last)) {
    last = await readPage(options, last.number + 1, first);
    checkNextPage(last, seen, first);
    for (const slug of slugsOf([last])) seen.add(slug);
  }
  checkPageSizes(pages, options.force);
  checkReadable(pages, 'the ongoing list', options.force);
  return { pages, firstAgain: pages.length === 1 ? first : await readPage(options, 1) };
}

/**
 * Refuses pages whose pagers contradict each other, and a page that repeats those before it. Pages from a cache of another
 * age, or of a list that has grown meanwhile, may differ by a few.
 */
function checkNextPage(page: OngoingPage, seen: ReadonlySet<string>, first: OngoingPage): void {
  if (Math.abs(page.lastNumber - first.lastNumber) > MAX_NEW_PAGES) {
    refusePage(
      `page 1 says that the list ends at ${first.lastNumber}, page ${page.number} says at ${page.lastNumber}`,
    );
  }
  const isRepeated = page.cards.every(({ slug }) => slug !== undefined && seen.has(slug));
  if (page.number < page.lastNumber && isRepeated) {
    refusePage(`page ${page.number} of the ongoing list has no anime that is not on a page before it`);
  }
}

async function readPage(
  options: CrawlPagesOptions,
  requested: number,
  first?: OngoingPage,
): Promise<OngoingPage> {
  const page = await options.visit.readOngoing(requested).catch((error: unknown) => {
    if (!first || !(error instanceof AppError) || error.code !== 'source-moved') throw error;
    return refusePage(
      `page ${requested} of the ongoing list is missing although the pager goes to ${first.lastNumber}`,
    );
  });
  return acceptPage(options, page, requested, first);
}

function acceptPage(
  { onPage }: CrawlPagesOptions,
  page: OngoingPage,
  requested: number,
  first = page,
): OngoingPage {
  checkOngoingPage(page, requested, first);
  onPage(`ongoing page ${requested}`, page.lastNumber);
  return page;
}

/**
 * Whether the walk may have missed an anime. When one leaves the list, those after it slide up, and one may slide from a
 * page not yet read to one already read. Signs of that: a known anime, from the last good list or the walk before, is
 * missing; or page 1, read again at the end, names a later last page, has a new anime at its end, or lacks one that was
 * above another that stays. Another walk decides it.
 */
function mayHaveMissed({ pages, firstAgain }: OngoingPages, known: ReadonlySet<string>): boolean {
  if (firstAgain.lastNumber > pages.length) return true;
  const seen = slugsOf([firstAgain, ...pages]);
  if (!known.isSubsetOf(seen)) return true;
  const before = [...slugsOf(pages.slice(0, 1))];
  const after = [...slugsOf([firstAgain])];
  const firstGone = before.findIndex((slug) => !after.includes(slug));
  const lastStaying = before.findLastIndex((slug) => after.includes(slug));
  const gainedAtEnd = !before.includes(after.at(-1) ?? '');
  return gainedAtEnd || (firstGone !== -1 && firstGone < lastStaying);
}
