import { setTimeout as sleep } from 'node:timers/promises';
import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { Status } from '../crawler/source-state.ts';
import type { Notice, NoticeContent } from '../domain/notice.ts';
import { DAY_MS, HOUR_MS } from '../domain/units.ts';

/** Written under the lease `notices`, because several processes append. */
const KEY = 'notices:log';
const KEPT_MS = 30 * DAY_MS;
const MAX_KEPT = 1_000;
const LEASE_POLL_MS = 50;
/** An append takes a few milliseconds, so a lease that is not free for this long means that the store fails. */
const MAX_LEASE_POLLS = 400;
/** Shorter trouble is not worth a message. */
const TROUBLE_MS = HOUR_MS;

export interface NoticeLog {
  /** The number of the last notice; 0 before the first. */
  last: number;
  /** Oldest first, without gaps. */
  notices: readonly Notice[];
  /** Whether the last notice of the source was `source.down`. */
  isSourceDown: boolean;
}

type NoticeStore = Pick<SnapshotStore, 'values' | 'lease'>;

export async function readNotices({ values }: NoticeStore): Promise<NoticeLog> {
  return (await values.get<NoticeLog>(KEY)) ?? { last: 0, notices: [], isSourceDown: false };
}

/**
 * Appends the notice that `decide` returns for the log, if any. No other process appends meanwhile, so `decide` sees the
 * notices of all processes. `now` is in ms since 1970.
 */
export async function appendNotice(
  store: NoticeStore,
  decide: (log: NoticeLog) => NoticeContent | undefined,
  now: number,
): Promise<void> {
  const release = await takeLease(store);
  try {
    const log = await readNotices(store);
    const content = decide(log);
    if (content) await store.values.set(KEY, append(log, content, now));
  } finally {
    await release();
  }
}

async function takeLease(store: NoticeStore) {
  for (let polls = 0; polls < MAX_LEASE_POLLS; polls += 1) {
    const release = await store.lease('notices');
    if (release) return release;
    await sleep(LEASE_POLL_MS);
  }
  throw new Error('another process has been appending a notice for too long');
}

function append({ last, notices, isSourceDown }: NoticeLog, content: NoticeContent, now: number): NoticeLog {
  const kept = notices.filter(({ at }) => at > now - KEPT_MS);
  return {
    last: last + 1,
    notices: [...kept, { ...content, number: last + 1, at: now }].slice(-MAX_KEPT),
    isSourceDown: content.type.startsWith('source.') ? content.type === 'source.down' : isSourceDown,
  };
}

/** The notice that is due: `source.down` once trouble has lasted an hour, `source.ok` once that trouble has ended. */
export function sourceNotice(
  { state, since, reason, troubleSince }: Pick<Status, 'state' | 'since' | 'reason' | 'troubleSince'>,
  { isSourceDown }: Pick<NoticeLog, 'isSourceDown'>,
  now: number,
): NoticeContent | undefined {
  if (state === null) return undefined;
  const data = { state, since: since === null ? null : new Date(since).toISOString(), reason };
  if (state === 'ok') return isSourceDown ? { type: 'source.ok', data } : undefined;
  const hasLasted = now - (troubleSince ?? since ?? now) >= TROUBLE_MS;
  return hasLasted && !isSourceDown ? { type: 'source.down', data } : undefined;
}
