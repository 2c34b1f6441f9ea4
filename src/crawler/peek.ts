import { AppError } from '../domain/errors.ts';
import { changedAt, type Listing, type Snapshot } from '../domain/listing.ts';
import { DAY_MS } from '../domain/units.ts';
import type { Visit } from '../source/source.ts';
import {
  type Attempt,
  countEntries,
  fail,
  follow,
  goodRead,
  judgeRead,
  type RefreshSummary,
  reportMirror,
  reportOmissions,
  save,
} from './attempt.ts';
import type { Verdict } from './belief/judge.ts';
import { isOlder, type MirrorReading, type MirrorResult, readFirstGood } from './mirrors.ts';
import {
  checkFamiliar,
  checkListing,
  checkOngoingPage,
  checkReadablePages,
  digestPage,
} from './page-checks.ts';
import { mustCrawl } from './source-state.ts';
import { afterPeek } from './status-changes.ts';

interface MirrorPeek extends MirrorReading {
  /** Undefined when page 1 is the same as at the last reading, or was built before. */
  verdict: Verdict | undefined;
}

/**
 * Peek → belief → snapshot. Returns undefined when page 1 is not enough and a whole crawl has to follow. Throws like
 * `tryCrawl`.
 */
export async function tryPeek(attempt: Attempt, lastGood: Snapshot): Promise<RefreshSummary | undefined> {
  const { status, report } = attempt;
  if (mustCrawl(status) && allowCrawl(attempt)) return undefined;
  try {
    const result = await readFirstGood(attempt, false, (visit) => peekMirror(visit, attempt, lastGood));
    const { verdict } = result;
    // What is pending keeps page 1 from adding up, until it is accepted or dropped.
    if (verdict?.isUnclear && !status.pending && allowCrawl(attempt)) {
      status.belief = verdict.memory;
      return undefined;
    }
    if (verdict?.listing) checkListing(verdict.listing);
    reportOmissions(verdict?.omissions ?? [], report);
    return await acceptPeek(attempt, result, lastGood);
  } catch (error) {
    const isUnclear = error instanceof AppError && error.code === 'source-changed';
    if (isUnclear && status.pending) return acceptPeek(attempt, undefined, lastGood);
    if (isUnclear && allowCrawl(attempt)) return undefined;
    return await fail(attempt, error);
  }
}

/** `result` is undefined when page 1 could not be read. */
async function acceptPeek(
  attempt: Attempt,
  result: (MirrorPeek & MirrorResult) | undefined,
  lastGood: Snapshot,
): Promise<RefreshSummary> {
  const { report, now, status, startedAt } = attempt;
  const verdict = result?.verdict;
  const { listing: next, changes = [] } =
    result && verdict?.listing ? follow(attempt, verdict.listing, result, verdict) : {};
  const snapshot = next?.snapshot ?? lastGood;
  const isEnough = result && (!verdict?.isUnclear || status.pending);
  const good = isEnough ? goodRead(attempt, result, snapshot) : { changedAt: changedAt(snapshot) };
  await save(attempt, afterPeek(status, now(), good), next);
  if (result) reportMirror(attempt, result);
  report({ type: 'peek-finished', changes: changes.length, tookMs: performance.now() - startedAt });
  return { pages: 1, ...countEntries(snapshot), changes };
}

/** Notes and allows a crawl after a peek, a few times a day: a source that never adds up is not crawled all day. */
function allowCrawl({ status, times, now }: Attempt): boolean {
  const recent = status.peekCrawls.filter((at) => at > now() - DAY_MS);
  const isAllowed = recent.length < times.maxPeekCrawls;
  status.peekCrawls = isAllowed ? [...recent, now()] : recent;
  return isAllowed;
}

/** Reads page 1 of the ongoing list and checks it as a crawl would. Throws AppError `source-…`. */
async function peekMirror(visit: Visit, attempt: Attempt, lastGood: Listing): Promise<MirrorPeek> {
  const { firstPage: last } = attempt.status;
  const page = await visit.readOngoing(1);
  const mirror = visit.origin();
  if (!attempt.source.mirrors.includes(mirror)) checkFamiliar(mirror, [page], lastGood);
  const { builtAt } = page;
  const firstPage = digestPage(page);
  const hasJumps = Object.values(attempt.status.belief.claims).some(({ isJump }) => isJump);
  if (firstPage === last && !hasJumps) return { mirror, firstPage, builtAt, verdict: undefined };
  checkOngoingPage(page, 1, page);
  checkReadablePages([page], false);
  if (last !== null && isOlder(attempt, builtAt))
    return { mirror, firstPage: last, builtAt, verdict: undefined };
  const groups = lastGood.schedule.map(({ day, animeList }) => ({ day, cards: animeList }));
  const read = { schedule: { groups, linked: [] }, pages: [page], firstAgain: page };
  return { mirror, firstPage, builtAt, verdict: await judgeRead(visit, read, attempt, true) };
}
