import { AppError } from '../domain/errors.ts';
import type { Snapshot } from '../domain/listing.ts';
import type { OngoingPage, Visit } from '../source/source.ts';
import { checkOngoingPage, checkReadablePages } from './guard.ts';

/** The longest list that is walked. */
const MOST_PAGES = 1_000;

export interface Walk {
  /** Every page of the list, in order. */
  pages: OngoingPage[];
  /** Page 1 as it stood when the last page had been read. */
  firstAgain: OngoingPage;
}

export interface WalkOptions {
  visit: Visit;
  lastGood: Snapshot | undefined;
  force: boolean;
  /** Told of each page that has been read, and how many the list has. */
  onPage: (page: string, pages: number) => void;
}

/** Reads the ongoing list from its first page to its last. Throws AppError when the pages do not add up. */
export async function walkList(options: WalkOptions): Promise<Walk> {
  const walked = await walk(options);
  return mayLack(walked, options.lastGood) ? walk(options) : walked;
}

async function walk(options: WalkOptions): Promise<Walk> {
  const first = await readPage(options, 1);
  const pages = [first];
  for (let last = first; last.number < last.lastNumber; pages.push(last)) {
    const asked = last.number + 1;
    if (asked > MOST_PAGES) refuse(`the ongoing list goes on after page ${MOST_PAGES}`);
    const next = await readPage(options, asked, first);
    if (next.lastNumber < last.lastNumber) {
      refuse(
        `page ${asked} says that the list ends at ${next.lastNumber}, page ${asked - 1} says at ${last.lastNumber}`,
      );
    }
    last = next;
  }
  checkReadablePages(pages, options.force);
  return { pages, firstAgain: pages.length === 1 ? first : await readPage(options, 1) };
}

async function readPage(
  { visit, force, onPage }: WalkOptions,
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
 * yet read to one already read. It shows as an anime of the last good list that is missing, or as page 1 having
 * lost one in its midst or gained one at its end, or naming another last page, while the others were read. Walking
 * once more tells.
 */
function mayLack({ pages, firstAgain }: Walk, lastGood: Snapshot | undefined): boolean {
  if (firstAgain.lastNumber > pages.length) return true;
  const seen = slugsOf(firstAgain, ...pages);
  if (lastGood?.ongoing.some((anime) => !seen.has(anime.slug))) return true;
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

function refuse(reason: string): never {
  throw new AppError('source-changed', reason);
}
