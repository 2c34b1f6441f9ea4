import type { Status } from '../crawler/source-state.ts';
import { countScheduled, type Snapshot } from '../domain/listing.ts';
import { timeFormatter } from '../domain/units.ts';
import { type Finding, formatDuration, ok, problem, warning } from './check.ts';
import type { DoctorContext } from './context.ts';

/** Tolerance for a crawl in progress and for a process that is about to start. */
const OVERDUE_MS = 5 * 60_000;
const MAX_SKEW_MS = 60_000;

/** The result of the last crawl, the age of the snapshot, and the clock: the last crawl cannot be in the future. */
export async function* checkLastCrawl({
  config: { refreshCron, timeZone },
  openStore,
  now,
}: Pick<DoctorContext, 'config' | 'openStore' | 'now'>): AsyncGenerator<Finding> {
  const store = await openStore().catch(() => undefined);
  if (!store) {
    yield warning('unknown: the store cannot be opened');
    return;
  }
  const status = await store.readStatus();
  const snapshot = await store.readSnapshot();
  yield describeState(status, snapshot !== undefined, now());
  if (snapshot) yield ok(describeSnapshot(snapshot, status, now()));
  if (!refreshCron) yield ok('REFRESH_CRON=off: only npm run refresh, or another process, crawls');
  else if (isOverdue(status, now())) {
    yield warning(
      `a crawl was due ${formatDuration(now() - (status.dueAt ?? 0))} ago: is npm start running?`,
    );
  }
  yield describeClock(status, timeZone, now());
}

function describeClock({ attemptedAt }: Status, timeZone: string, now: number): Finding {
  const time = `it is ${timeFormatter(timeZone)(now)} in ${timeZone}`;
  const aheadMs = (attemptedAt ?? 0) - now;
  if (aheadMs <= MAX_SKEW_MS) return ok(`${time} (TIME_ZONE)`);
  const advice = "set this machine's clock, or fix TIME_ZONE if only the hour is wrong";
  return problem(`${time}, and the last crawl ended ${formatDuration(aheadMs)} later than that; ${advice}`);
}

function describeState(status: Status, hasSnapshot: boolean, now: number): Finding {
  const { state, since, reason, attemptedAt, retryAt } = status;
  if (!state || attemptedAt === null) return warning('none yet: run npm run refresh, or npm start');
  const ago = `${formatDuration(now - attemptedAt)} ago`;
  if (state === 'ok')
    return ok(`good, ${ago}; the source has been ok for ${formatDuration(now - (since ?? now))}`);
  const wait = retryAt && retryAt > now ? `; the next attempt is in ${formatDuration(retryAt - now)}` : '';
  const text = `refused, ${ago}: ${state} for ${formatDuration(now - (since ?? now))}: ${reason}${wait}`;
  if (hasSnapshot) return warning(`${text}. The last good snapshot is served; npm run refresh tries at once`);
  return problem(`${text}. There is no snapshot to serve: fix this, then run npm run refresh`);
}

function describeSnapshot(snapshot: Snapshot, { refreshedAt, changedAt }: Status, now: number): string {
  const confirmed = refreshedAt === null ? '' : `, confirmed ${formatDuration(now - refreshedAt)} ago`;
  const changed = changedAt === null ? '' : `, changed ${formatDuration(now - changedAt)} ago`;
  return `snapshot: ${snapshot.ongoing.length} anime, ${countScheduled(snapshot.schedule)} scheduled${confirmed}${changed}`;
}

function isOverdue({ state, dueAt }: Status, now: number): boolean {
  return state === 'ok' && dueAt !== null && now - dueAt > OVERDUE_MS;
}
