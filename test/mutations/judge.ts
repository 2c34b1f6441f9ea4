import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../src/domain/errors.ts';
import { listEntries } from '../../src/domain/listing.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { listPath, MIRROR, SAMPLE_PAGES, SCHEDULE } from '../support/sample-pages.ts';
import type { Run } from './broken-site.ts';
import { hasAnime, hasEntry, type Piece, PlainPage, slugIn } from './plain-page.ts';

interface Verdict {
  outcome: 'equal' | 'omission reported' | 'refused' | 'an anime is gone';
  /** What must never be, in words. */
  faults: string[];
}

/** Whether an error has a code of the source and a message that explains it. */
export function isReason(error: unknown): boolean {
  return error instanceof AppError && error.code.startsWith('source-') && error.message.length > 10;
}

/** A page that was served, as a plain reader sees it. */
interface Served {
  path: string;
  page: PlainPage;
  /** Those of all links, in order. */
  slugs: string[];
  /** The largest page of a list that a link leads to. */
  lastPageLinked: number;
}

function readPage(path: string, html: string): Served {
  const page = new PlainPage(html);
  const { links } = page.whole;
  const numbers = links.map((link) => Number(/\/page\/(\d{1,4})(?!\d)/u.exec(link)?.[1] ?? 0));
  const slugs = links.flatMap((link) => slugIn(link) ?? []);
  return { path, page, slugs, lastPageLinked: Math.max(0, ...numbers) };
}

/** The pages of the whole site, and the last broken one, which is judged more than once. */
const WHOLE_SITE = new Map([...SAMPLE_PAGES].map(([path, html]) => [html, readPage(path, html)]));
let lastRead: { html: string; served: Served } | undefined;

function readServed(path: string, html: string): Served {
  const whole = WHOLE_SITE.get(html);
  if (whole) return { ...whole, path };
  if (lastRead?.html !== html) lastRead = { html, served: readPage(path, html) };
  return { ...lastRead.served, path };
}

const slugsOf = (piece: Piece) => new Set(piece.links.flatMap((link) => slugIn(link) ?? []));
const isOfSchedule = ({ path }: Served) => path === SCHEDULE;
const slugsOfPages = (isIt: (page: Served) => boolean) =>
  new Set([...WHOLE_SITE.values()].filter(isIt).flatMap(({ slugs }) => slugs));
const SCHEDULED = slugsOfPages(isOfSchedule);
const LISTED = slugsOfPages((page) => !isOfSchedule(page));

/** What is judged of a listing in the same way: the ongoing list, or the schedule. */
interface Part {
  from: 'the ongoing list' | 'the schedule';
  pages: Served[];
  /** The slugs that the whole site has there. */
  known: ReadonlySet<string>;
  records: PublishedRecord[];
  /** The slugs of cards that were reported, and how many others were. */
  reported: { slugs: ReadonlySet<string>; others: number };
}

interface PublishedRecord {
  text: string;
  /** No two records have the same. */
  key: string;
  slug: string;
  isThere(piece: Piece, pageUrl: string): boolean;
  /** Whether it is the last good one, and a reason for it to stay was reported. */
  isKept: boolean;
}

/** Returns a function that judges a whole refresh by the pages that it was served. `whole`: what comes of the whole site. */
export function createJudge(whole: Snapshot): (run: Run) => Verdict {
  const records = [...whole.ongoing, ...listEntries(whole.schedule)];
  const truth = new Set(records.map((record) => JSON.stringify(record)));
  return (run) => (run.error === undefined ? judgeSuccess(run, truth) : judgeRefusal(run));
}

function judgeSuccess(run: Run, truth: ReadonlySet<string>): Verdict {
  const pages = [...run.served].flatMap(([path, texts]) => [...texts].map((html) => readServed(path, html)));
  const lists = pages.filter((page) => !isOfSchedule(page));
  const parts = [
    judgePart(run, truth, ongoingPart(run, lists)),
    judgePart(run, truth, schedulePart(run, pages.filter(isOfSchedule), lists)),
  ];
  const lastPage = Math.max(...lists.map(({ lastPageLinked }) => lastPageLinked));
  const isUnread = lastPage > 1 && !run.served.has(listPath(lastPage));
  const faults = isUnread ? [`a page links to page ${lastPage}, which was not read`] : [];
  const isGone = parts.some((part) => part.isGone);
  const isReported = run.events.some(({ type }) => type === 'card-omitted' || type === 'anime-missing');
  const outcome = isGone ? 'an anime is gone' : isReported ? 'omission reported' : 'equal';
  return { outcome, faults: [...parts.flatMap((part) => part.faults), ...faults] };
}

function judgeRefusal({ error, before, after }: Run): Verdict {
  const faults = isReason(error) ? [] : [`refused without a reason: ${error}`];
  if (!isDeepStrictEqual(after, before))
    faults.push('refused, and yet the last good snapshot is another one');
  return { outcome: 'refused', faults };
}

function ongoingPart({ before, after, events }: Run, pages: Served[]): Part {
  const slugs = new Set<string>();
  const nameless = new Set<string>();
  for (const event of events) {
    if (event.type !== 'card-omitted' || event.page === 'schedule') continue;
    const path = listPath(Number(event.page.replace('ongoing page ', '')));
    const items = pages.filter((one) => one.path === path).map((one) => one.page.items[event.card - 1]);
    const found = items.flatMap((item) => (item ? [...slugsOf(item)] : []));
    for (const slug of found) slugs.add(slug);
    if (!found.some((slug) => LISTED.has(slug))) nameless.add(`${event.page} ${event.card}`);
  }
  const shown = new Set(pages.flatMap(({ page }) => page.items.flatMap((item) => [...slugsOf(item)])));
  const records = (after?.ongoing ?? []).map((record) => ({
    text: JSON.stringify(record),
    key: record.slug,
    slug: record.slug,
    isThere: (piece: Piece, pageUrl: string) => hasAnime(piece, record, pageUrl),
    // An anime that no card shows stays until another crawl does not show it either.
    isKept:
      (before?.ongoing ?? []).some((one) => isDeepStrictEqual(one, record)) &&
      (slugs.has(record.slug) || !shown.has(record.slug)),
  }));
  return {
    from: 'the ongoing list',
    pages,
    known: LISTED,
    records,
    reported: { slugs, others: nameless.size },
  };
}

/** A report about the schedule names the card by its place in some group: they are counted. */
function schedulePart({ before, after, events }: Run, pages: Served[], lists: Served[]): Part {
  const listed = new Set(after?.ongoing.map(({ slug }) => slug));
  /** Whether it stands there because the number on its card cannot be read. */
  const isUnnumbered = ({ slug, title, day }: { slug: string; title: string; day: string }) =>
    !listed.has(slug) &&
    lists.some(({ page }) =>
      page.items.some(
        (item) =>
          slugsOf(item).has(slug) &&
          item.text.includes(title) &&
          (day === 'Random' || item.text.includes(day)),
      ),
    );
  const omissions = events.filter((one) => one.type === 'card-omitted' && one.page === 'schedule');
  const kept = omissions.filter((one) => 'kept' in one && one.kept).length;
  const lastGood = listEntries(before?.schedule ?? []);
  const records = listEntries(after?.schedule ?? []).map((entry) => ({
    text: JSON.stringify(entry),
    key: `${entry.day} ${entry.slug}`,
    slug: entry.slug,
    isThere: (piece: Piece) => hasEntry(piece, entry.day, entry),
    isKept:
      isUnnumbered(entry) ||
      (lastGood.some((one) => isDeepStrictEqual(one, entry)) &&
        (kept > 0 || pages.every(({ page }) => page.items.every((item) => saysNoOther(item, entry))))),
  }));
  const reported = { slugs: new Set<string>(), others: omissions.length - kept };
  return { from: 'the schedule', pages, known: SCHEDULED, records, reported };
}

/** Whether an item is about another anime or about several, or its title is only the beginning of this one's. */
function saysNoOther(item: Piece, { slug, title }: { slug: string; title: string }): boolean {
  const slugs = slugsOf(item);
  const isBeginning = item.text.length < title.length && title.startsWith(item.text);
  return isBeginning || slugs.size > 1 || !slugs.has(slug);
}

function judgePart({ events }: Run, truth: ReadonlySet<string>, part: Part) {
  const { pages, known, records, reported } = part;
  const faults: string[] = [];
  for (const record of records) {
    const isTrue = truth.has(record.text);
    // A piece of broken markup may have several cards: only what is true may be of such a piece, or of the whole page.
    const isSaidBy = ({ path }: Served) => {
      return (piece: Piece) => record.isThere(piece, MIRROR + path) && (isTrue || slugsOf(piece).size <= 1);
    };
    const isThere =
      record.isKept ||
      pages.some((one) => one.page.says(isSaidBy(one))) ||
      pages.some((one) => one.page.maySay(isSaidBy(one))) ||
      (isTrue && pages.some((one) => isSaidBy(one)(one.page.whole)));
    if (!isThere) faults.push(`no page says ${record.text}`);
  }
  const slugs = new Set(records.map(({ slug }) => slug));
  if (new Set(records.map(({ key }) => key)).size < records.length) faults.push(`twice in ${part.from}`);

  // A list that has moved is walked again, and the last reading of a page counts.
  const lastOfEach = new Map(pages.map((page) => [page.path, page])).values();
  const shown = new Set([...lastOfEach].flatMap((page) => page.slugs));
  const missing = events.flatMap((one) =>
    one.type === 'anime-missing' && one.from === part.from ? one.slugs : [],
  );
  const accounted = slugs.union(new Set(missing)).union(reported.slugs);
  const silent = shown.difference(accounted);
  if (silent.size > reported.others) faults.push(`shown, and not in ${part.from}: ${[...silent]}`);
  const strangers = slugs.difference(known).size;
  const gone = known.difference(accounted).difference(shown);
  return { faults, isGone: gone.size > strangers + reported.others };
}
