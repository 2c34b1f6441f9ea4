import { decide, exceedsShare, type Verdict } from '../belief/decide.ts';
import { gradeReading } from '../belief/grade.ts';
import { hasLasted, mustAsk } from '../belief/needs.ts';
import { correctNumbers, mergePages, type Reading, type ReadPages } from '../belief/reading.ts';
import {
  findRenames,
  listPossibleRenames,
  type Rename,
  renameInMemory,
  renameInSnapshot,
  withNewSlugs,
} from '../belief/renames.ts';
import { countRival } from '../belief/rivals.ts';
import { type Statement, statementKey } from '../belief/statement.ts';
import { titleKey } from '../belief/titles.ts';
import type { Beliefs, OwnPageFacts, OwnPages } from '../belief/witnesses.ts';
import { AppError } from '../domain/errors.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { PageGone, type Visit } from '../source/source.ts';
import type { Attempt } from './attempt.ts';
import { checkOwnPage, type PageReading } from './details/record-details.ts';
import type { MirrorReading } from './mirrors.ts';
import { checkFamiliar, digestPage } from './page-checks.ts';

/** The pages of a mirror, and the verdict on them. */
export interface JudgedRead extends Required<MirrorReading> {
  verdict: Verdict;
}

/**
 * Judges the pages of a mirror. If the list alone does not decide, the pages of single anime do. Throws AppError for a
 * strange host.
 */
export async function judgeRead(
  visit: Visit,
  read: ReadPages,
  attempt: Attempt,
  isPeek: boolean,
): Promise<JudgedRead> {
  const { source, lastGood, status, force, now } = attempt;
  const mirror = visit.origin();
  if (!source.mirrors.includes(mirror)) checkFamiliar(mirror, read.pages, lastGood);
  const readWith = (known: Snapshot | undefined) => mergePages(withNewSlugs(read, known, now()), known);
  const firstReading = readWith(lastGood);
  const first = { lastGood, memory: status.belief };
  const slugs = listQuestions(firstReading, first, { isPeek, force, now: now() });
  const pages = await askPages(visit, slugs, firstReading, attempt);
  const ownPages = factsOf(pages);
  const found = isPeek ? [] : findRenames(firstReading, lastGood, japaneseIn(pages, lastGood));
  const renames = believedRenames(found, first, { now: now(), force });
  const beliefs = {
    lastGood: lastGood && renameInSnapshot(lastGood, renames, now()),
    memory: renameInMemory(status.belief, renames),
  };
  // Some pages of the same reading may be from before the corrections.
  const reading = renames.length > 0 ? readWith(beliefs.lastGood) : firstReading;
  correctNumbers(reading, ownPages, beliefs.lastGood);
  const statements = gradeReading(reading, beliefs, { isPeek, ownPages });
  const asked = new Set(slugs);
  const verdict = decide(reading, statements, beliefs, { now: now(), force, isPeek, asked });
  return {
    mirror,
    firstPage: digestPage(read.firstAgain),
    builtAt: read.firstAgain.builtAt,
    verdict,
    asked: [...pages.values()].filter((one) => one !== 'gone'),
    renames,
  };
}

/** The corrected slugs that are believed: few at once, or more where they have lasted like any other change of so many. */
function believedRenames(
  found: readonly Rename[],
  { lastGood, memory }: Beliefs,
  { now, force }: { now: number; force: boolean },
): readonly Rename[] {
  const size = lastGood?.ongoing.length ?? 0;
  if (force || !exceedsShare(found.length, size)) return found;
  return found.filter(({ to }) => {
    const rival = memory.rivals[statementKey({ part: 'list', aspect: 'listed', slug: to })];
    return rival !== undefined && hasLasted({ ...rival, times: rival.times + 1 }, now);
  });
}

/** The number of pages of anime that a refresh reads to settle doubts of the list. */
const MAX_ASKED = 10;

/** The anime whose own pages settle doubts of the list, most urgent first. */
function listQuestions(
  reading: Reading,
  beliefs: Beliefs,
  { isPeek, force, now }: { isPeek: boolean; force: boolean; now: number },
): string[] {
  const { lastGood, memory } = beliefs;
  if (!lastGood) return [];
  // What an operator says is believed; which episodes came is still asked.
  const isOpen = ({ aspect }: Statement) => !force || aspect !== 'name';
  const statements = gradeReading(reading, beliefs, { isPeek }).filter(
    (one) => isOpen(one) && mustAsk(one, countRival(one, memory.rivals[statementKey(one)], now), now),
  );
  const order = ['release', 'listed', 'name', 'slot'];
  const sorted = statements.sort((one, other) => order.indexOf(one.aspect) - order.indexOf(other.aspect));
  const renamed = isPeek ? [] : listPossibleRenames(reading, lastGood);
  return [...new Set([...renamed, ...sorted.map(({ slug }) => slug)])].slice(0, MAX_ASKED);
}

/** The pages of these anime; `gone` where there is none. One that cannot be read, or has no episode, says nothing. */
async function askPages(
  visit: Visit,
  slugs: readonly string[],
  { list }: Reading,
  { readsDetails, lastGood, signal, now }: Attempt,
): Promise<Map<string, PageReading | 'gone'>> {
  const pages = new Map<string, PageReading | 'gone'>();
  for (const slug of readsDetails && lastGood ? slugs : []) {
    try {
      const page = await visit.readAnime(slug);
      const shown = list.get(slug);
      const title = (shown?.anime ?? shown?.record)?.title;
      checkOwnPage({ slug, page }, lastGood!, title === undefined ? [] : [title]);
      pages.set(slug, { slug, page, readAt: now() });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      if (error instanceof PageGone) pages.set(slug, 'gone');
    }
  }
  return pages;
}

/** What the pages of anime say that is asked of them. */
function factsOf(pages: ReadonlyMap<string, PageReading | 'gone'>): OwnPages {
  const facts = new Map<string, OwnPageFacts | 'gone'>();
  for (const [slug, reading] of pages) facts.set(slug, reading === 'gone' ? 'gone' : factsOfPage(reading));
  return facts;
}

function factsOfPage({ page: { titles, episodes, details } }: PageReading): OwnPageFacts {
  return {
    titles: new Set(titles.map(titleKey)),
    episodes: episodes.map(({ episode }) => episode).sort((a, b) => b - a),
    hasEnded: details.status === 'completed',
  };
}

/** The Japanese title of an anime by its page that was read now or before. */
function japaneseIn(pages: ReadonlyMap<string, PageReading | 'gone'>, lastGood: Snapshot | undefined) {
  return (slug: string): string | undefined => {
    const reading = pages.get(slug);
    const own = reading && reading !== 'gone' ? reading.page.details : lastGood?.details?.[slug]?.details;
    return own?.japanese ?? undefined;
  };
}
