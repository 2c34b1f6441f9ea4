import { AppError } from '../../domain/errors.ts';
import { single } from '../../domain/serial.ts';
import type { UploadId } from '../../domain/upload.ts';
import { RemovedFileError, type Storage } from '../storage.ts';
import { type BlockList, createBlockList, readBlockEntries } from './block-list.ts';
import { readRemovals, readVersion } from './changes.ts';

/** Every process has to apply a change within five seconds. */
const POLL_MS = 2_000;
/** Everything is read again after this time even without an announcement: a command may be killed before it announces. */
const REREAD_MS = 30_000;

interface FollowOptions {
  storage: Pick<Storage, 'open' | 'records'>;
  /** Called at least once for each file that was removed and would not have expired yet. */
  onRemoved: (id: UploadId) => void;
  /** Monotonic, ms. */
  elapsedMs: () => number;
}

export type Moderation = ReturnType<typeof followModeration>;

/** Polls the storage for blocks, and for files that were removed. */
export function followModeration({ storage, onRemoved, elapsedMs }: FollowOptions) {
  const { records } = storage;
  let blocks: BlockList | undefined;
  let version: string | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  /** The removed files that need no more work, as long as there are notices of them. */
  let followed = new Set<UploadId>();

  const read = single(async () => {
    const current = await readVersion(records);
    if (current !== version || elapsedMs() - readAt >= REREAD_MS) {
      blocks = createBlockList(await readBlockEntries(records));
      followed = await followRemovals(followed);
      version = current;
      readAt = elapsedMs();
    }
  });

  /** A notice is written before the removal, which may have been interrupted: it is handled once the file is gone. */
  async function followRemovals(earlier: Set<UploadId>): Promise<Set<UploadId>> {
    const done = new Set<UploadId>();
    for (const id of await readRemovals(records)) {
      if (!earlier.has(id)) {
        if (!(await isRemoved(id))) continue;
        onRemoved(id);
      }
      done.add(id);
    }
    return done;
  }

  async function isRemoved(id: UploadId): Promise<boolean> {
    try {
      return (await storage.open(id)) === undefined;
    } catch (error) {
      if (error instanceof RemovedFileError) return true;
      if (error instanceof AppError) throw error;
      // One file that is damaged does not hold back what is known of the others.
      return false;
    }
  }

  /** A failure is not reported: a sweep reads the same records, and reports it. */
  const poll = () => read().catch(() => {});

  let polling = poll();
  const timer = setInterval(() => {
    polling = poll();
  }, POLL_MS);
  return {
    /** Resolves with the current blocks. The first call waits until they have been read, and rejects if that fails. */
    async blocks(): Promise<BlockList> {
      if (!blocks) await read();
      return blocks ?? createBlockList([]);
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await polling;
    },
  };
}
