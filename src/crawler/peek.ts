import { AppError } from '../domain/errors.ts';
import type { Change } from '../domain/event.ts';
import type { Listing } from '../domain/listing.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { OngoingPage, Visit } from '../source/source.ts';
import type { Status } from '../store/source-status.ts';
import { accept, type GoodRead } from './accept.ts';
import { type Attempt, afterAttempt } from './attempt.ts';
import { mayCrawl, notePeekCrawl } from './attempts.ts';
import { fail } from './fail.ts';
import { judgeRead } from './judge-read.ts';
import { isOlder, type MirrorReading, readFirstGood } from './mirrors.ts';
import { checkListing, checkOngoingPage, checkReadable, digestPage } from './page-checks.ts';
import { countEntries, type RefreshSummary } from './refresh-summary.ts';
import { mustCrawl } from './source-state.ts';

/**
 * Peek → belief → snapshot. Returns undefined when page 1 is not enough and a whole crawl has to follow. Throws like
 * `tryCrawl`.
 */
export async function tryPeek(attempt: Attempt, lastGood: Snapshot): Promise<RefreshSummary | undefined> {
  const { status, store, lease } = attempt;
  if (mustCrawl(status) && allowCrawl(attempt)) return undefined;
  try {
    const result = await readFirstGood(attempt, false, (visit, first) =>
      peekMirror(visit, first, attempt, lastGood),
    );
    const { verdict } = result;
    // What is pending keeps page 1 from adding up, until it is accepted or dropped.
    if (verdict?.isUnclear && !status.pending && allowCrawl(attempt)) {
      status.belief = verdict.memory;
      return undefined;
    }
    if (verdict?.listing) checkListing(verdict.listing);
    const { snapshot, changes } = await accept(attempt, result, (good) =>
      afterPeek(attempt, whatIsGood(status, good, verdict?.isUnclear ?? false)),
    );
    return finish(attempt, snapshot, changes);
  } catch (error) {
    const isUnclear = error instanceof AppError && error.code === 'source-changed';
    if (isUnclear && status.pending) {
      await store.write(lease, { status: afterPeek(attempt, {}) });
      return finish(attempt, lastGood, []);
    }
    if (isUnclear && allowCrawl(attempt)) return undefined;
    return await fail(attempt, error);
  }
}

/** The parts of the status that a peek proves to be good: none if it is unclear, unless a pending reading explains it. */
function whatIsGood(status: Status, good: GoodRead, isUnclear: boolean): Partial<GoodRead> {
  if (!isUnclear) return good;
  if (!status.pending) return { changedAt: good.changedAt };
  // A reading that is not believed proves no lateness.
  return { ...good, reading: { ...good.reading, readAt: status.reading.readAt } };
}

function finish({ report, startedAt }: Attempt, snapshot: Snapshot, changes: Change[]): RefreshSummary {
  report({ type: 'peek-finished', changes: changes.length, tookMs: performance.now() - startedAt });
  return { pages: 1, ...countEntries(snapshot), changes };
}

/** Notes a crawl after a peek, and allows it a few times a day. */
function allowCrawl({ status, times, now }: Attempt): boolean {
  const isAllowed = mayCrawl(status.attempts, times.maxPeekCrawls, now());
  if (isAllowed) status.attempts = notePeekCrawl(status.attempts, now());
  return isAllowed;
}

/**
 * `good` is empty when page 1 was not read successfully: the next crawl counts as overdue then. Page 1 does not show that
 * pages are good again that a crawl has refused.
 */
function afterPeek(attempt: Attempt, good: Partial<GoodRead>): Status {
  const { state, reason } = attempt.status.health;
  const next = state === 'changed' ? afterAttempt(attempt, state, reason) : afterAttempt(attempt, 'ok', null);
  return { ...next, ...good };
}

/** Reads page 1 of the ongoing list and checks it as a crawl would. Throws AppError `source-…`. */
async function peekMirror(
  visit: Visit,
  first: OngoingPage | undefined,
  attempt: Attempt,
  lastGood: Listing,
): Promise<MirrorReading> {
  const { firstPage: last } = attempt.status.reading;
  const page = first ?? (await visit.readOngoing(1));
  const { builtAt } = page;
  const asBefore = last !== null && { mirror: visit.origin(), firstPage: last, builtAt, verdict: undefined };
  const hasJumps = Object.values(attempt.status.belief.rivals).some(
    ({ isNumber, isUnnumbered }) => isNumber || isUnnumbered,
  );
  if (asBefore && digestPage(page) === last && !hasJumps) return asBefore;
  checkOngoingPage(page, 1, page);
  checkReadable([page], 'the ongoing list', false);
  if (asBefore && isOlder(attempt, builtAt)) return asBefore;
  const groups = lastGood.schedule.map(({ day, animeList }) => ({ day, cards: animeList }));
  const read = { schedule: { groups, linked: [] }, pages: [page], firstAgain: page };
  return judgeRead(visit, read, attempt, true);
}
