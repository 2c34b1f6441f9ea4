import type { Store } from '../crawler/store.ts';
import { type Cursor, type Log, moveTo } from './cursor.ts';
import { newReceiver, type ReceiverState } from './receiver.ts';

/** A state of version 0.1.0, in a value of its own for each receiver. */
interface FormerState extends Partial<Omit<ReceiverState, keyof Cursor | 'progress'>> {
  epoch?: string;
  /** The number of the last event. */
  event: number;
  /** The time of the last notice, or in the first form its number. */
  notice: number;
  usedAt: number;
  /** In the first form. */
  isSourceDown?: boolean;
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
  const { epoch = log.epoch, event: number, notice, usedAt, isSourceDown: _, ...state } = stored;
  const event = epoch === log.epoch ? log.events.find((one) => one.number === number) : undefined;
  const notices: readonly { at: number; number?: number }[] = log.notices;
  const isTime = notice === 0 || notice > FIRST_TIME;
  const noticeAt = isTime ? notice : (notices.find((one) => one.number === notice)?.at ?? usedAt);
  const cursor = moveTo(log, { position: '', eventAt: usedAt, noticeAt }, event);
  return { ...newReceiver(log, usedAt), ...state, ...cursor };
}
