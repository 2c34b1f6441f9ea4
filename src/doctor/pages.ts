import { checkFamiliar, checkOngoingPage } from '../crawler/guard.ts';
import { AppError } from '../domain/errors.ts';
import type { Listing } from '../domain/listing.ts';
import { isUnreadable, type OngoingPage, type SchedulePage } from '../source/source.ts';
import { type Check, type Finding, ok, problem, warning } from './check.ts';
import { counted } from './format.ts';
import type { Reading } from './page-reader.ts';
import { parserOf } from './parser-files.ts';
import type { SitePages } from './survey.ts';

export interface PagesOptions {
  siteName: string;
  mirrors: readonly string[];
  lastGood: () => Promise<Listing | undefined>;
  pages: () => Promise<SitePages | undefined>;
}

/** Whether each kind of page is what the crawler takes for one; by the guard's own rules. */
export function checkPages({ siteName, mirrors, lastGood, pages }: PagesOptions): Check {
  return {
    name: 'Pages',
    async *find() {
      const site = await pages();
      if (!site) {
        yield warning('not checked: no mirror serves the site');
        return;
      }
      yield judge(site.schedule, 'schedule', parserOf(siteName, 'schedule'), describeSchedule);
      const { parsed: first } = site.first.result;
      const ongoing = (reading: Reading<OngoingPage>, asked: number) =>
        judge(reading, `ongoing page ${asked}`, parserOf(siteName, 'ongoing'), (page) =>
          describeOngoing(page, asked, first ?? page),
        );
      yield ongoing(site.first, 1);
      if (site.last && first) yield ongoing(site.last, first.lastNumber);
      if (!mirrors.includes(site.origin)) yield* judgeFamiliarity(site, await lastGood());
    },
  };
}

function judge<Parsed>(
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

/** The host serves the site, so a page of it that is "not the site's" is one that has changed. */
function explain({ code, message }: AppError, file: string): string {
  const [reason = message] = message.split('; set SOURCE_URLS');
  if (code === 'source-moved') return `${reason}, though the mirror serves the site; mend ${file}`;
  return code === 'source-changed' ? `${reason}; if the site has changed, mend ${file}` : message;
}

function describeSchedule({ groups }: SchedulePage): string {
  const entries = groups.reduce((sum, group) => sum + group.cards.length, 0);
  if (entries === 0) throw new AppError('source-changed', 'it is empty');
  return `${counted(groups.length, 'group')}, ${counted(entries, 'entry', 'entries')}`;
}

function describeOngoing(page: OngoingPage, asked: number, first: OngoingPage): string {
  checkOngoingPage(page, asked, first, false);
  const unreadable = page.cards.filter(isUnreadable).length;
  const ofThem = unreadable > 0 ? ` (${unreadable} unreadable)` : '';
  return `${counted(page.cards.length, 'card')}${ofThem}, page ${page.number} of ${page.lastNumber}`;
}

/** A host that nobody configured has been redirected to: the crawler believes it if it lists what is known. */
function* judgeFamiliarity(
  { origin, first, last }: SitePages,
  lastGood: Listing | undefined,
): Generator<Finding> {
  const pages = [first, last].flatMap((reading) => reading?.result.parsed ?? []);
  if (pages.length === 0) return;
  try {
    checkFamiliar(origin, pages, lastGood);
    yield ok(`${origin} is not configured, and is believed: it lists what is known`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    yield problem(error.message);
  }
}
