import type { ReportReason } from '../domain/file-report.ts';
import { inOrder } from '../domain/serial.ts';
import { DAY_MS, HOUR_MS, toIso } from '../domain/units.ts';
import { waitForLease } from '../store/leased-job.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { SourceHealth } from '../store/source-status.ts';

const KEY = 'notices:log';
const KEPT_MS = 30 * DAY_MS;
const MAX_KEPT = 1_000;
/** Shorter trouble is not worth a message. */
const TROUBLE_MS = HOUR_MS;

/**
 * What receivers of webhooks get beside events of the list. A feature that sends another notice adds its type here, and
 * its text for chats in `webhooks/chat-text.ts`.
 */
export type NoticeContent =
  | {
      /** The trouble of the source has lasted for an hour, or has ended. */
      type: 'source.down' | 'source.ok';
      /** `since`: when the source entered that state, in ISO 8601. `reason` is null when it is ok. */
      data: { state: string; since: string | null; reason: string | null };
    }
  | {
      /** A file was reported for the first time. */
      type: 'upload.reported';
      /** `link`: the page of the file. */
      data: { id: string; reason: ReportReason; note: string; link: string };
    };

/** A notice as it is stored. */
export type Notice = NoticeContent & {
  /** When it was appended, ms since 1970; no two have the same time. */
  at: number;
};

/** Opens the notices of all processes on a store, oldest first; each has a time of its own, in ms since 1970. */
export function openNoticeLog(store: Pick<SnapshotStore, 'values' | 'lease' | 'memory'>) {
  const run = inOrder();
  let known = store.memory.recall<readonly Notice[]>(KEY) ?? [];

  function learn(latest: readonly Notice[]): void {
    known = latest;
    store.memory.note(KEY, known);
  }

  /** Adds what others have appended to what is known, and returns whether the store has lost any of it. */
  async function merge(): Promise<boolean> {
    const stored = (await store.values.get<{ notices: Notice[] }>(KEY))?.notices ?? [];
    const times = new Set(stored.map(({ at }) => at));
    const missing = known.filter(({ at }) => !times.has(at));
    learn(dropOld([...stored, ...missing].toSorted((a, b) => a.at - b.at)));
    return missing.length > 0;
  }

  /** No other process writes meanwhile. */
  async function write(content?: NoticeContent, now = 0): Promise<readonly Notice[]> {
    const lease = await waitForLease(store, 'records');
    try {
      await merge();
      const at = Math.max(now, (known.at(-1)?.at ?? 0) + 1);
      if (content) learn(dropOld([...known, { ...content, at }]));
      await lease.write({ [KEY]: { notices: known } });
      return known;
    } finally {
      await lease.release();
    }
  }

  return {
    /** Reads what others have appended, and writes again what the store has lost. */
    sync: () => run(async () => ((await merge()) ? write() : known)),
    /** `now`: ms since 1970. */
    append: (content: NoticeContent, now: number) => run(() => write(content, now)),
  };
}

/** Trouble of the source that lasts for longer is told once more. */
function dropOld(notices: readonly Notice[]): Notice[] {
  const newest = notices.at(-1)?.at ?? 0;
  return notices.filter(({ at }) => at > newest - KEPT_MS).slice(-MAX_KEPT);
}

/** The notice that is due: `source.down` once trouble has lasted an hour, `source.ok` once that trouble has ended. */
export function sourceNotice(
  { state, since, reason, troubleSince }: Omit<SourceHealth, 'days'>,
  notices: readonly Notice[],
  now: number,
): NoticeContent | undefined {
  if (state === null) return undefined;
  const isDown = notices.findLast(({ type }) => type.startsWith('source.'))?.type === 'source.down';
  const data = { state, since: toIso(since), reason };
  if (state === 'ok') return isDown ? { type: 'source.ok', data } : undefined;
  const hasLasted = now - (troubleSince ?? since ?? now) >= TROUBLE_MS;
  return hasLasted && !isDown ? { type: 'source.down', data } : undefined;
}
