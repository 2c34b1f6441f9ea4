import { checkFamiliar, checkOngoingPage } from '../crawler/page-checks.ts';
import { AppError } from '../domain/errors.ts';
import type { Listing } from '../domain/listing.ts';
import { isUnreadable, type OngoingPage, type SchedulePage } from '../source/source.ts';
import { type Finding, ok, problem, warning } from './check.ts';
import { pluralize } from './format.ts';
import { selectorsFile } from './parser-files.ts';
import type { Reading, SitePages } from './read-site.ts';

interface PagesOptions {
  siteName: string;
  mirrors: readonly string[];
  lastSnapshot: () => Promise<Listing | undefined>;
  pages: () => Promise<SitePages | undefined>;
}

/** Whether the crawler would accept each kind of page, by the rules of its guard. */
export async function* checkPages({
  siteName,
  mirrors,
  lastSnapshot,
  pages,
}: PagesOptions): AsyncGenerator<Finding> {
  const site = await pages();
  if (!site) {
    yield warning('not checked: no mirror serves the site');
    return;
  }
  yield checkPage(site.schedule, 'schedule', selectorsFile(siteName), describeSchedule);
  const { parsed: first } = site.first.result;
  const ongoing = (reading: Reading<OngoingPage>, requested: number) =>
    checkPage(reading, `ongoing page ${requested}`, selectorsFile(siteName), (page) =>
      describeOngoing(page, requested, first ?? page),
    );
  yield ongoing(site.first, 1);
  if (site.last && first) yield ongoing(site.last, first.lastNumber);
  if (!mirrors.includes(site.origin)) yield* checkFamiliarity(site, await lastSnapshot());
}

function checkPage<Parsed>(
  { result }: Reading<Parsed>,
  name: string,
  file: string,
  describe: (parsed: Parsed) => string,
): Finding {
  try {
    if (result.error) throw result.error;
    return ok(`${name}: recognised, ${describe(result.parsed)}`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return problem(`${name}: ${explain(error, file)}`);
  }
}

/** The mirror serves the site, so a page without the site's markup has changed. */
function explain({ code, message }: AppError, file: string): string {
  const [reason = message] = message.split('; set SOURCE_URLS');
  if (code === 'source-moved') return `${reason}, though the mirror serves the site; fix ${file}`;
  return code === 'source-changed' ? `${reason}; if the site has changed, fix ${file}` : message;
}

function describeSchedule({ groups }: SchedulePage): string {
  const entries = groups.reduce((sum, group) => sum + group.cards.length, 0);
  if (entries === 0) throw new AppError('source-changed', 'it is empty');
  return `${pluralize(groups.length, 'group')}, ${pluralize(entries, 'entry', 'entries')}`;
}

function describeOngoing(page: OngoingPage, requested: number, first: OngoingPage): string {
  checkOngoingPage(page, requested, first);
  const unreadable = page.cards.filter(isUnreadable).length;
  const ofThem = unreadable > 0 ? ` (${unreadable} unreadable)` : '';
  return `${pluralize(page.cards.length, 'card')}${ofThem}, page ${page.number} of ${page.lastNumber}`;
}

/** The crawler trusts an origin that is not configured if it lists known anime. */
function* checkFamiliarity(
  { origin, first, last }: SitePages,
  lastSnapshot: Listing | undefined,
): Generator<Finding> {
  const pages = [first, last].flatMap((reading) => reading?.result.parsed ?? []);
  if (pages.length === 0) return;
  try {
    checkFamiliar(origin, pages, lastSnapshot);
    yield ok(`${origin} is not configured, but is trusted: it lists known anime`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    yield problem(error.message);
  }
}
