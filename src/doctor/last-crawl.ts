import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { Status } from '../crawler/source-state.ts';
import { countScheduled, type Snapshot } from '../domain/listing.ts';
import { type Check, type Finding, ok, problem, warning } from './check.ts';
import { inWords } from './format.ts';

/** A crawl takes a while, and a process may be about to start. */
const OVERDUE_MS = 5 * 60_000;

export interface LastCrawlOptions {
  openStore: () => Promise<SnapshotStore>;
  refreshCron: string | null;
  now: () => number;
}

/** What the last crawl came to, and how old what is served has become. */
export function checkLastCrawl({ openStore, refreshCron, now }: LastCrawlOptions): Check {
  return {
    name: 'Last crawl',
    async *find() {
      const store = await openStore().catch(() => undefined);
      if (!store) {
        yield warning('not known: the store cannot be opened');
        return;
      }
      const status = await store.readStatus();
      const snapshot = await store.readSnapshot();
      yield judgeState(status, snapshot !== undefined, now());
      if (snapshot) yield ok(describeSnapshot(snapshot, status, now()));
      if (!refreshCron) yield ok('REFRESH_CRON=off: only npm run refresh, or another process, crawls');
      else if (isOverdue(status, now())) {
        yield warning(`a crawl was due ${inWords(now() - (status.dueAt ?? 0))} ago: is npm start running?`);
      }
    },
  };
}

function judgeState(status: Status, hasSnapshot: boolean, now: number): Finding {
  const { state, since, reason, attemptedAt, retryAt } = status;
  if (!state || attemptedAt === null) return warning('none yet: run npm run refresh, or npm start');
  const ago = `${inWords(now - attemptedAt)} ago`;
  if (state === 'ok') return ok(`good, ${ago}; the source has been ok for ${inWords(now - (since ?? now))}`);
  const wait = retryAt && retryAt > now ? `; the timer tries again in ${inWords(retryAt - now)}` : '';
  const text = `refused, ${ago}: ${state} for ${inWords(now - (since ?? now))}: ${reason}${wait}`;
  if (hasSnapshot) return warning(`${text}. What was good is served; npm run refresh tries at once`);
  return problem(`${text}. There is no snapshot to serve: mend what is said above, then npm run refresh`);
}

function describeSnapshot(snapshot: Snapshot, { refreshedAt, changedAt }: Status, now: number): string {
  const confirmed = refreshedAt === null ? '' : `, confirmed ${inWords(now - refreshedAt)} ago`;
  const changed = changedAt === null ? '' : `, changed ${inWords(now - changedAt)} ago`;
  return `snapshot: ${snapshot.ongoing.length} anime, ${countScheduled(snapshot.schedule)} scheduled${confirmed}${changed}`;
}

function isOverdue({ state, dueAt }: Status, now: number): boolean {
  return state === 'ok' && dueAt !== null && now - dueAt > OVERDUE_MS;
}
