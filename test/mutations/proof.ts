import { isDeepStrictEqual } from 'node:util';
import type { Missing } from '../../src/crawler/crawl.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { OngoingAnime, ScheduledAnime } from '../../src/domain/listing.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { listPath, MIRROR, SAMPLE_PAGES, SCHEDULE } from '../support/sample-pages.ts';
import { readAsAPerson, type Said, type SaidEntry } from './oracle.ts';
import type { Run } from './site.ts';

type Outcome = 'equal' | 'omission reported' | 'refused' | 'an anime is gone';

interface Verdict {
  outcome: Outcome;
  /** What must never be, in words. */
  faults: string[];
}

type Omission = Extract<OperationalEvent, { type: 'card-omitted' }>;

/** Whether an error has a code of the source and a message that explains it. */
export function isReason(error: unknown): boolean {
  return error instanceof AppError && error.code.startsWith('source-') && error.message.length > 10;
}

function isSaid(record: OngoingAnime, { images, alts, ...card }: Said['anime'][number]): boolean {
  const { image, ...fields } = record;
  // The text of the cover has the whole of a title that is cut.
  const isCut =
    isBeginning(card.title ?? record.title, record.title) && alts.includes(`${record.title} Sub Indo`);
  const said = isCut ? { ...card, title: record.title } : card;
  return images.includes(new URL(image).href) && isDeepStrictEqual(fields, said);
}

/** Whether the selectors were repaired in this run, so that a page may say things in a markup that the oracle cannot read. */
function isRepaired({ events }: Run): boolean {
  return events.some(({ type }) => type === 'selectors-repaired');
}

/** Whether the site says this on a page as it is, and the page that was served still contains all of it. */
function isOnRepairedPage(record: OngoingAnime, { path, html, said }: Served): boolean {
  const { title, slug, episode, date, image } = record;
  const texts = [title, date, `Episode ${episode}`];
  return (
    (wholeSite.get(path)?.said.anime.some((card) => isSaid(record, card)) ?? false) &&
    said.slugs.includes(slug) &&
    texts.every((text) => said.text.includes(text)) &&
    html.includes(new URL(image).pathname)
  );
}

/** The same of an entry of the schedule. */
function isOnRepairedSchedule(entry: SaidEntry, { path, said }: Served): boolean {
  const isTrue = wholeSite.get(path)?.said.entries.some((one) => isDeepStrictEqual(one, entry)) ?? false;
  const { slug, title, day } = entry;
  return (
    isTrue && said.slugs.includes(`${slug}`) && [title, day].every((text) => said.text.includes(`${text}`))
  );
}

/** A page that was served in a run. */
interface Served {
  path: string;
  html: string;
  said: Said;
}

const wholeSite = new Map(
  [...SAMPLE_PAGES].map(([path, html]) => [path, { html, said: readAsAPerson(html, MIRROR + path) }]),
);
const LISTED = [...wholeSite].flatMap(([path, { said }]) => (path === SCHEDULE ? [] : said.slugs));
const SCHEDULED = wholeSite.get(SCHEDULE)!.said.entries.map(({ day, slug }) => `${day} ${slug}`);

/** Judges a whole refresh against the pages that it was served, and against the site as it is. */
export function judge(run: Run): Verdict {
  if (run.error !== undefined) return judgeRefusal(run);
  const pages = [...run.served].flatMap(([path, texts]) =>
    [...texts].map((html): Served => ({ path, html, said: read(path, html) })),
  );
  const lists = pages.filter(({ path }) => path !== SCHEDULE);
  const omissions = run.events.filter((one) => one.type === 'card-omitted');
  const ongoing = judgeOngoing(
    run,
    lists,
    omissions.filter(({ page }) => page !== 'schedule'),
  );
  const schedule = judgeSchedule(
    run,
    pages.filter(({ path }) => path === SCHEDULE),
    omissions.filter(({ page }) => page === 'schedule'),
  );
  const isGone = ongoing.isGone || schedule.isGone;
  const isReported = run.events.some(({ type }) => type === 'card-omitted' || type === 'anime-missing');
  const outcome = isGone ? 'an anime is gone' : isReported ? 'omission reported' : 'equal';
  return { outcome, faults: [...ongoing.faults, ...schedule.faults] };
}

/** The last broken page, which is judged more than once. */
let lastRead: { html: string; said: Said } | undefined;

function read(path: string, html: string): Said {
  const whole = wholeSite.get(path);
  if (whole?.html === html) return whole.said;
  if (lastRead?.html !== html) lastRead = { html, said: readAsAPerson(html, MIRROR + path) };
  return lastRead.said;
}

function judgeRefusal({ error, before, after }: Run): Verdict {
  const faults = isReason(error) ? [] : [`refused without a reason: ${error}`];
  if (!isDeepStrictEqual(after, before))
    faults.push('refused, and yet the last good snapshot is another one');
  return { outcome: 'refused', faults };
}

function judgeOngoing(run: Run, pages: Served[], omissions: Omission[]) {
  const faults: string[] = [];
  const listed = run.after?.ongoing ?? [];
  const cards = pages.flatMap(({ said }) => said.anime);
  const reported = reportedSlugs(pages, omissions);
  for (const record of listed) {
    if (cards.some((card) => isSaid(record, card))) continue;
    if (isRepaired(run) && pages.some((page) => isOnRepairedPage(record, page))) continue;
    const isLastGood = run.before?.ongoing.some((one) => isDeepStrictEqual(one, record));
    const shownAs = cards.filter(({ slug }) => slug === record.slug);
    // An anime that no card shows stays until another crawl does not show it either, and a cut title is completed.
    const isUnsaid = shownAs.every(({ title }) => title !== undefined && isBeginning(title, record.title));
    if (!isLastGood || !(isUnsaid || reported.slugs.has(record.slug)))
      faults.push(`no page says ${JSON.stringify(record)}`);
  }
  const slugs = new Set(listed.map(({ slug }) => slug));
  if (slugs.size !== listed.length) faults.push('an anime is listed twice');

  const shown = new Set(lastOfEach(pages).flatMap(({ said }) => said.slugs));
  const reportedMissing = namedSlugs(run, 'the ongoing list');
  const silent = [...shown].filter(
    (slug) => !slugs.has(slug) && !reported.slugs.has(slug) && !reportedMissing.has(slug),
  );
  if (silent.length > reported.nameless) faults.push(`shown, and silently left out: ${silent}`);
  const pagesRead = pages.filter(({ path }) => path !== SCHEDULE);
  const lastPage = Math.max(...pagesRead.map(({ said }) => said.lastPageLinked));
  const unread = lastPage > 1 && !run.served.has(listPath(lastPage));
  if (unread) faults.push(`a page links to page ${lastPage}, which was not read`);

  const known = new Set(LISTED);
  const strangers = listed.filter(({ slug }) => !known.has(slug)).length;
  const gone = LISTED.filter(
    (slug) => !reportedMissing.has(slug) && !slugs.has(slug) && !reported.slugs.has(slug) && !shown.has(slug),
  );
  return { faults, isGone: gone.length > strangers + reported.nameless };
}

function isBeginning(title: string, whole: string): boolean {
  return title.length < whole.length && whole.startsWith(title);
}

/** A list that has moved is walked again, and the last reading of a page counts. */
function lastOfEach<Page extends { path: string }>(pages: Page[]): Page[] {
  return [...new Map(pages.map((page) => [page.path, page])).values()];
}

/** The slugs of the cards that were reported, and how many of these have none that the site has. */
function reportedSlugs(pages: { path: string; said: Said }[], omissions: Omission[]) {
  const slugs = new Set<string>();
  const nameless = new Set<string>();
  for (const { page, card } of omissions) {
    const path = listPath(Number(page.replace('ongoing page ', '')));
    const found = pages
      .filter((one) => one.path === path)
      .flatMap(({ said }) => said.slugsOfItems[card - 1] ?? []);
    for (const slug of found) slugs.add(slug);
    if (!found.some((slug) => LISTED.includes(slug))) nameless.add(`${page} ${card}`);
  }
  return { slugs, nameless: nameless.size };
}

/** The slugs that were reported to be missing from a part of the listing. */
function namedSlugs({ events }: Run, from: Missing['from']): Set<string> {
  const missing = events.filter((one) => one.type === 'anime-missing' && one.from === from);
  return new Set(missing.flatMap((one) => ('slugs' in one ? one.slugs : [])));
}

/** A report about the schedule names the card by its place in some group: they are counted. */
function judgeSchedule(run: Run, pages: Served[], omissions: Omission[]) {
  const faults: string[] = [];
  const groups = run.after?.schedule ?? [];
  const listed = groups.flatMap(({ day, animeList }) => animeList.map((anime) => ({ day, anime })));
  const entries = pages.flatMap(({ said }) => said.entries);
  const isEntry = (day: string, { title, slug }: ScheduledAnime, said: Said['entries'][number]) =>
    said.day === day && said.title === title && said.slug === slug;
  for (const { day, anime } of listed) {
    if (entries.some((said) => isEntry(day, anime, said))) continue;
    const entry = { ...anime, day };
    if (isRepaired(run) && pages.some((page) => isOnRepairedSchedule(entry, page))) continue;
    const lastList = run.before?.schedule.find((group) => group.day === day)?.animeList;
    const isLastGood = lastList?.some((one) => isDeepStrictEqual(one, anime));
    const isUnsaid = entries.every(
      ({ slug, title = '' }) => slug !== anime.slug || isBeginning(title, anime.title),
    );
    const isStandIn = isLastGood && (isUnsaid || omissions.some(({ kept }) => kept));
    if (!isStandIn) faults.push(`the schedule does not say ${day}: ${JSON.stringify(anime)}`);
  }
  const keys = new Set(listed.map(({ day, anime }) => `${day} ${anime.slug}`));
  const slugs = new Set(listed.map(({ anime }) => anime.slug));
  if (keys.size !== listed.length) faults.push('an anime is on a day twice');

  const shown = new Set(pages.flatMap(({ said }) => said.slugs));
  const dropped = omissions.filter(({ kept }) => !kept).length;
  const reportedMissing = namedSlugs(run, 'the schedule');
  const silent = [...shown].filter((slug) => !slugs.has(slug) && !reportedMissing.has(slug));
  if (silent.length > dropped) faults.push(`shown, and silently not scheduled: ${silent}`);
  const known = new Set(SCHEDULED.map((key) => key.split(' ')[1]));
  const strangers = [...slugs].filter((slug) => !known.has(slug)).length;
  const gone = [...known].filter(
    (slug) => slug && !reportedMissing.has(slug) && !slugs.has(slug) && !shown.has(slug),
  );
  return { faults, isGone: gone.length > strangers + dropped };
}
