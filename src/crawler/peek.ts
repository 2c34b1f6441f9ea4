import { AppError } from '../domain/errors.ts';
import type { Change } from '../domain/event.ts';
import type { Listing } from '../domain/listing.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { DAY_MS } from '../domain/units.ts';
import type { OngoingPage, Visit } from '../source/source.ts';
import type { Status } from '../store/source-status.ts';
import { type Attempt, accept, countEntries, fail, type RefreshSummary } from './attempt.ts';
import { judgeRead } from './judge-read.ts';
import { isOlder, type MirrorReading, readFirstGood } from './mirrors.ts';
import { checkListing, checkOngoingPage, checkReadable, digestPage } from './page-checks.ts';
import { mustCrawl } from './source-state.ts';
import { afterPeek, type GoodRead } from './status-changes.ts';

/**
 * Peek → belief → snapshot. Returns undefined when page 1 is not enough and a whole crawl has to follow. Throws like
 * `tryCrawl`.
 */
export async function tryPeek(attempt: Attempt, lastGood: Snapshot): Promise<RefreshSummary | undefined> {
  const { status, store, lease, now } = attempt;
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
      afterPeek(status, now(), whatIsGood(status, good, verdict?.isUnclear ?? false)),
    );
    return finish(attempt, snapshot, changes);
  } catch (error) {
    const isUnclear = error instanceof AppError && error.code === 'source-changed';
    if (isUnclear && status.pending) {
      await store.write(lease, { status: afterPeek(status, now(), {}) });
      return finish(attempt, lastGood, []);
    }
    if (isUnclear && allowCrawl(attempt)) return undefined;
    return await fail(attempt, error);
  }
}

/** What a peek shows to be good: nothing where it is unclear, unless what is pending makes it so. */
function whatIsGood(status: Status, good: GoodRead, isUnclear: boolean): Partial<GoodRead> {
  if (!isUnclear) return good;
  // What is not believed says nothing of what is late.
  return status.pending ? { ...good, readAt: status.readAt } : { changedAt: good.changedAt };
}

function finish({ report, startedAt }: Attempt, snapshot: Snapshot, changes: Change[]): RefreshSummary {
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
async function peekMirror(
  visit: Visit,
  first: OngoingPage | undefined,
  attempt: Attempt,
  lastGood: Listing,
): Promise<MirrorReading> {
  const { firstPage: last } = attempt.status;
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
