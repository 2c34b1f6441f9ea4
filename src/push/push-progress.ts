import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import { DAY_MS } from '../domain/units.ts';
import {
  type Cursor,
  cursorAtEnd,
  type QueueContent,
  skipBefore,
  toCurrentEpoch,
} from '../webhooks/queue.ts';

const KEY = 'push:progress';
/** Older news are not sent. */
export const MAX_AGE_MS = DAY_MS;

/** What has been sent; the cursor is that of every subscription that is not late. Times in ms since 1970. */
export interface PushProgress extends Cursor {
  /** When this was stored. */
  usedAt: number;
  /** When any message was last delivered. */
  deliveredAt: number;
  /** The round that is under way: it ends with the event `to`, and has reached all rows up to the key `after`. */
  round: { to: number; after: string } | null;
  /** By their row keys, the subscriptions whose message was not accepted. */
  late: Record<string, Late>;
}

export interface Late {
  /** The last event that the subscription has been sent. */
  event: number;
  /** The first failure. */
  since: number;
  nextAttemptAt: number;
}

/**
 * Reads how far the sending has come; `known` where the store has forgotten it. An installation that has sent nothing
 * begins with what comes next.
 */
export async function loadProgress(
  { values }: Pick<SnapshotStore, 'values'>,
  content: QueueContent,
  now: number,
  known: PushProgress | undefined,
): Promise<PushProgress> {
  const stored = (await values.get<PushProgress>(KEY)) ?? known;
  return stored ?? { ...cursorAtEnd(content), usedAt: now, deliveredAt: 0, round: null, late: {} };
}

/** Throws when another process sends meanwhile. */
export async function saveProgress(
  { values, holds }: Pick<SnapshotStore, 'values' | 'holds'>,
  progress: PushProgress,
): Promise<void> {
  if (!(await holds('push'))) throw new Error('another process has taken over the sending of push messages');
  await values.set(KEY, progress);
}

/** The progress in the numbering of the queue, past events that are too old. */
export function toCurrentQueue(progress: PushProgress, content: QueueContent, now: number): PushProgress {
  const current = toCurrentEpoch(progress, content, progress.usedAt);
  const isSameNumbering = current.event === progress.event;
  const cursor = skipBefore(content, current, now - MAX_AGE_MS);
  return { ...progress, ...cursor, ...(!isSameNumbering && { round: null, late: {} }) };
}
