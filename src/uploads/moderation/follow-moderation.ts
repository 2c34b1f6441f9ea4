import type { Report } from '../../domain/operational-event.ts';
import { repeat, single } from '../../domain/serial.ts';
import { parseUploadIds, type UploadId } from '../../domain/upload-id.ts';
import { isStored } from '../storage/failures.ts';
import { REMOVAL, VERSION } from '../storage/objects.ts';
import type { Storage } from '../storage.ts';
import { type BlockList, createBlockList, readBlockEntries } from './block-list.ts';

/** Every process has to apply a change within five seconds. */
const POLL_MS = 2_000;
/** Everything is read again after this time even without an announcement: a command may be killed before it announces. */
const REREAD_MS = 30_000;

/** Stands for the version while no command has changed anything yet. */
const UNCHANGED = 'unchanged';

interface FollowOptions {
  storage: Pick<Storage, 'open' | 'records'>;
  /** Called at least once for each file that was removed and would not have expired yet. */
  onRemoved: (id: UploadId) => void;
  report: Report;
  /** Monotonic, ms. */
  elapsedMs: () => number;
}

/** What the operator has blocked and removed, as this process knows it. */
export interface Moderation {
  /** Resolves with the current blocks. The first call waits until they have been read, and rejects if that fails. */
  blocks(): Promise<BlockList>;
  close(): Promise<void>;
}

/** Polls the storage for blocks, and for files that were removed. */
export function followModeration({ storage, onRemoved, report, elapsedMs }: FollowOptions): Moderation {
  const { records } = storage;
  let blocks: BlockList | undefined;
  let version: string | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  /** The removed files that need no more work, as long as there are notices of them. */
  let followed = new Set<UploadId>();
  /** Whether the last read failed, which is reported once. */
  let isFailing = false;

  const read = single(async () => {
    // Without a version everything is read each time: a command of another user may have hidden it, or a full disk could not
    // take it.
    const current = await records.get(VERSION).then((content) => String(content ?? UNCHANGED), fail);
    if (!current || current !== version || elapsedMs() - readAt >= REREAD_MS) {
      blocks = createBlockList(await readBlockEntries(records));
      followed = await followRemovals(followed);
      version = current;
      readAt = elapsedMs();
    }
    if (current !== undefined) isFailing = false;
  });

  /** A notice is written before the removal, which may have been interrupted: it is handled once the file is gone. */
  async function followRemovals(earlier: Set<UploadId>): Promise<Set<UploadId>> {
    const done = new Set<UploadId>();
    const names = await Array.fromAsync(records.list(REMOVAL));
    for (const id of parseUploadIds(names.map((name) => name.slice(REMOVAL.length)))) {
      if (!earlier.has(id)) {
        if (await isStored(storage, id)) continue;
        onRemoved(id);
      }
      done.add(id);
    }
    return done;
  }

  function fail(error: unknown): undefined {
    if (!isFailing) report({ type: 'store-failed', doing: 'reading what is blocked and removed', error });
    isFailing = true;
  }

  return {
    async blocks() {
      if (!blocks) await read();
      return blocks ?? createBlockList([]);
    },
    close: repeat(() => read().catch(fail), POLL_MS),
  };
}
