import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import type { UploadId } from '../../domain/upload.ts';
import { DamagedFileError, RemovedFileError, type Storage } from '../storage.ts';
import { type BlockList, createBlockList, readBlockEntries } from './block-list.ts';
import { readVersion } from './moderation-version.ts';
import { NOTICE_PREFIX, parseNoticeName } from './removal-notice.ts';

/** Every process has to apply a change within five seconds. */
const POLL_MS = 2_000;
/** Everything is read again after this time even without an announcement: a command may be killed before it announces. */
const REREAD_MS = 30_000;

interface FollowOptions {
  storage: Pick<Storage, 'open' | 'records'>;
  /** Called at least once for each file that was removed in the last two minutes, or since the start. */
  onRemoved: (id: UploadId) => void;
  report: Report;
  /** Monotonic, ms. */
  elapsedMs: () => number;
}

/** The blocks and removals of the operator, as this process knows them. */
export interface Moderation {
  /** Resolves with the current blocks. The first call waits until they have been read, and rejects if that fails. */
  blocks(): Promise<BlockList>;
  close(): Promise<void>;
}

/** Polls the storage for blocks, and for files that were removed. */
export function followModeration(options: FollowOptions): Moderation {
  const { storage, onRemoved, report, elapsedMs } = options;
  const { records } = storage;
  let blocks: BlockList | undefined;
  let version: string | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  /** The removed files that need no more work, as long as there are notices of them. */
  let followed = new Set<string>();
  let reading: Promise<void> | undefined;
  let hasFailed = false;

  async function read(): Promise<void> {
    const current = await readVersion(records);
    if (current === version && elapsedMs() - readAt < REREAD_MS) return;
    blocks = createBlockList(await readBlockEntries(records));
    followed = await readNotices(followed);
    version = current;
    readAt = elapsedMs();
  }

  /**
   * Handles each removed file once. A notice is written before the removal, which may have been interrupted: it is handled once
   * the file is gone.
   */
  async function readNotices(earlier: Set<string>): Promise<Set<string>> {
    const done = new Set<string>();
    for await (const name of records.list(NOTICE_PREFIX)) {
      const id = parseNoticeName(name)?.id;
      if (id === undefined || done.has(id)) continue;
      const isNew = !earlier.has(id);
      if (isNew && !(await isRemoved(id))) continue;
      if (isNew) onRemoved(id);
      done.add(id);
    }
    return done;
  }

  async function isRemoved(id: UploadId): Promise<boolean> {
    try {
      return (await storage.open(id)) === undefined;
    } catch (error) {
      if (error instanceof DamagedFileError) return false;
      if (error instanceof RemovedFileError) return true;
      throw error;
    }
  }

  /** Joins a read that is under way. */
  function readNow(): Promise<void> {
    reading ??= read()
      .then(() => {
        hasFailed = false;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  /** Does not report `storage-down`: a storage across a network does that itself. */
  function poll(): void {
    readNow().catch((error: unknown) => {
      const isReported = hasFailed || (error instanceof AppError && error.code === 'storage-down');
      if (!isReported) report({ type: 'store-failed', doing: 'reading what is blocked and removed', error });
      hasFailed = true;
    });
  }

  poll();
  const timer = setInterval(poll, POLL_MS);
  return {
    async blocks() {
      if (!blocks) await readNow();
      return blocks ?? createBlockList([]);
    },
    async close() {
      clearInterval(timer);
      await reading?.catch(() => {});
    },
  };
}
