import { nameOf } from '../crawler/event-position.ts';
import type { Store } from '../crawler/store.ts';
import type { Log } from './cursor.ts';
import { newReceiver, type ReceiverState } from './receiver.ts';

/** A state of version 0.1.0, in a value of its own for each receiver. */
interface FormerState {
  epoch?: string;
  /** The number of the last event. */
  event: number;
  /** The time of the last notice, or in the first form its number. */
  notice: number;
  usedAt: number;
  failures?: number;
  failingSince?: number | null;
  nextAttemptAt?: number | null;
  reason?: string | null;
  dropped?: number;
  isGone?: boolean;
}

/** Times are larger than any number of a notice. */
const FIRST_TIME = 1e9;

/** Reads what an earlier version stored of a receiver; undefined where it did not know it. */
export async function readFormerState(
  values: Store['values'],
  key: string,
  log: Log,
): Promise<ReceiverState | undefined> {
  const stored = await values.get<FormerState>(key === 'push' ? 'push:progress' : `webhooks:${key}`);
  if (!stored) return undefined;
  const { epoch = log.epoch, event: number, notice, usedAt } = stored;
  const event = epoch === log.epoch ? log.events.find((one) => one.number === number) : undefined;
  const notices: readonly { at: number; number?: number }[] = log.notices;
  const byNumber = notice === 0 ? 0 : (notices.find((one) => one.number === notice)?.at ?? usedAt);
  const noticeAt = notice > FIRST_TIME ? notice : byNumber;
  const { failures = 0, failingSince = null, nextAttemptAt = null, reason = null, isGone = false } = stored;
  return {
    ...newReceiver(log, usedAt, stored.dropped),
    ...(event
      ? { position: nameOf(log.epoch, event), eventAt: event.at }
      : { position: '', eventAt: usedAt }),
    noticeAt,
    ...{ failures, failingSince, nextAttemptAt, reason, isGone },
  };
}
