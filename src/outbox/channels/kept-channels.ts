import type { Report } from '../../domain/operational-event.ts';
import { coalesce } from '../../domain/serial.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/units.ts';
import { waitForLease } from '../../store/leased-job.ts';
import type { SnapshotStore } from '../../store/snapshot-store.ts';
import type { Rows } from '../../store/store.ts';
import { readRows } from '../rows.ts';
import { MAX_CHANNELS } from './channels.ts';

/** Where this value is missing, the store has lost the channels, or has never had any. */
const KEY = 'channels:kept';
/** More text than this is not remembered; a channel has some hundred bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
const READ_EVERY_MS = MINUTE_MS;

/**
 * The rows of the channels. The process that sends also remembers them: a browser sends its subscription again, but nobody would
 * know that a channel was lost with its store.
 */
export interface KeptChannels {
  rows: Rows;
  /** Puts back the channels that the store has lost, or else reads what is new. */
  refill(): Promise<void>;
  /** Ends waiting for the lease. */
  stop(): void;
}

interface KeptChannelsOptions {
  store: Pick<SnapshotStore, 'values' | 'lease' | 'channels'>;
  report: Report;
  /** Wall clock, ms since 1970. */
  now(): number;
}

export function keepChannels({ store, report, now }: KeptChannelsOptions): KeptChannels {
  const { values, channels: rows } = store;
  const stopping = new AbortController();
  let known = new Map<string, string>();
  let readAt = Number.NEGATIVE_INFINITY;

  const refill = coalesce(async () => {
    try {
      if (!(await values.get(KEY))) await putBack();
      else if (Math.abs(now() - readAt) >= READ_EVERY_MS) await read();
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  });

  async function read(): Promise<void> {
    const stored = new Map<string, string>();
    let bytes = 0;
    for await (const [key, text] of readRows(rows)) {
      bytes += text.length;
      if (bytes <= MAX_BYTES) stored.set(key, text);
    }
    known = stored;
    readAt = now();
  }

  async function putBack(): Promise<void> {
    const lease = await waitForLease(store, 'records', { signal: stopping.signal });
    try {
      if (await values.get(KEY)) return;
      const limit = { max: MAX_CHANNELS, day: Math.floor(now() / DAY_MS), unusedSince: 0 };
      let count = 0;
      for (const [key, text] of known) {
        if ((await rows.get(key)) !== undefined) continue;
        if (await rows.put(key, text, limit)) count += 1;
      }
      if (count > 0) report({ type: 'channels-restored', count });
      await lease.write({ [KEY]: { since: now() } });
      await read();
    } finally {
      await lease.release();
    }
  }

  return {
    rows: {
      ...rows,
      async put(key, text, limit) {
        const isStored = await rows.put(key, text, limit);
        if (isStored) known.set(key, text);
        return isStored;
      },
      async remove(key) {
        known.delete(key);
        await rows.remove(key);
      },
    },
    refill,
    stop: () => stopping.abort(),
  };
}
