import { randomUUID } from 'node:crypto';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { inBatches } from '../../domain/serial.ts';
import type { UploadDescription } from '../../domain/upload.ts';
import { isExpired, parseUploadId, type UploadId } from '../../domain/upload-id.ts';
import {
  hasCollection,
  markCollection,
  readCollection,
  type StoredCollection,
} from '../collections/collection-store.ts';
import { isFull } from '../storage/errors.ts';
import { REMOVAL, VERSION } from '../storage/objects.ts';
import { noSuchFile, type RemovalMark, RemovedFileError, requireFile, type Storage } from '../storage.ts';
import { blockRecordName, MAX_BLOCKS, readBlockEntries } from './block-list.ts';
import { forgetReports, readReport, reportNames, type StoredReport } from './reports.ts';

interface RemovalRequest {
  reason: RemovalMark['reason'];
  /** Whether the same bytes are refused from now on. */
  blocks: boolean;
}

/** A file, or a collection of several. */
type ShownUpload = { reports: StoredReport[] } & (
  | { description: UploadDescription; collection?: undefined }
  | { description?: undefined; collection: StoredCollection & { id: UploadId } }
);

/** What the operator can do with uploads. It needs the storage alone, so it works beside services that run on it. */
export interface Moderator {
  /** Throws AppError `not-found`, `expired`, `removed` or `removed-legally`. */
  show(id: string): Promise<ShownUpload>;
  /**
   * Removes a file; or a collection, whose files stay. What was removed before can be marked as removed for legal reasons, and
   * stays so.
   */
  remove(id: string, request: RemovalRequest): Promise<RemovalMark>;
  /** Throws AppError `storage-full` when there would be too many entries. */
  block(entries: readonly string[]): Promise<void>;
  /** Resolves with the entries that were blocked before; the others are left out. */
  unblock(entries: readonly string[]): Promise<string[]>;
  blocked(): Promise<string[]>;
  /** The reports of one file or of all, newest first. */
  reports(id?: string): Promise<StoredReport[]>;
}

/** `now`: wall clock, ms since 1970. */
export function createModerator(storage: Storage, now: () => number): Moderator {
  const { records } = storage;

  /** Makes every process read again, once a change is complete. On a full disk that has no version yet, it is empty. */
  const announceChange = () =>
    records.put(VERSION, Buffer.from(randomUUID())).catch((error: unknown) => {
      if (!isFull(error)) throw error;
      return records.put(VERSION, Buffer.alloc(0));
    });

  /** Throws AppError `not-found` for a malformed id, and `expired`. */
  function requireLiveId(text: string): UploadId {
    const id = parseUploadId(text);
    if (id === undefined) throw new AppError('not-found', `"${text}" is not the id of a file`);
    if (isExpired(id, now())) throw new AppError('expired', 'this file has expired');
    return id;
  }

  async function remove(text: string, { reason, blocks }: RemovalRequest): Promise<RemovalMark> {
    const id = requireLiveId(text);
    const collected = await removeCollection(id, reason, blocks);
    if (collected) return collected;
    const { description, mark: earlier } = await find(id);
    const sha256 = (description ?? earlier)?.sha256 ?? '';
    if (blocks && sha256 === '') throw new AppError('not-found', 'the SHA-256 of this file is not known');
    // Each step can be repeated. The file stays until `storage.remove` replaces it, in one step.
    if (blocks) await block([`sha256:${sha256}`]);
    if (description) await records.put(REMOVAL + id, Buffer.alloc(0));
    const wasLegal = earlier?.reason === 'legal';
    const mark: RemovalMark = { reason: wasLegal ? 'legal' : reason, removedAt: now(), sha256 };
    if (!(await storage.remove(id, mark))) throw noSuchFile();
    await forgetReports(records, id);
    await announceChange();
    return mark;
  }

  /** Undefined when there is no such collection. It counts as before until its expiry, so no process has to be told. */
  async function removeCollection(
    id: UploadId,
    reason: RemovalMark['reason'],
    blocks: boolean,
  ): Promise<RemovalMark | undefined> {
    const earlier = await readCollection(storage.collections, id).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof RemovedFileError) return error.mark;
        throw error;
      },
    );
    const wasLegal = earlier?.reason === 'legal';
    const mark: RemovalMark = { reason: wasLegal ? 'legal' : reason, removedAt: now(), sha256: '' };
    if (blocks && (await hasCollection(storage.collections, id)))
      throw invalidRequest('a collection has no SHA-256 to block; remove its files with --block, one by one');
    if (!(await markCollection(storage.collections, id, mark))) return undefined;
    await forgetReports(records, id);
    return mark;
  }

  /** Resolves with the description or the mark of a file, and with neither when it is damaged. */
  async function find(id: UploadId): Promise<{ description?: UploadDescription; mark?: RemovalMark }> {
    try {
      return await requireFile(storage, id);
    } catch (error) {
      if (error instanceof RemovedFileError) return { mark: error.mark };
      if (error instanceof AppError) throw error;
      return {};
    }
  }

  async function block(entries: readonly string[]): Promise<void> {
    const known = new Set(await readBlockEntries(records));
    const added = entries.filter((entry) => !known.has(entry));
    const counts = `there may be ${MAX_BLOCKS} blocks, and there are ${known.size}`;
    if (known.size + added.length > MAX_BLOCKS)
      throw new AppError('storage-full', `${counts}; unblock some, or block a wider range`);
    for (const entry of added) await records.put(blockRecordName(entry), Buffer.alloc(0));
    await announceChange();
  }

  async function unblock(entries: readonly string[]): Promise<string[]> {
    const known = new Set(await readBlockEntries(records));
    const removed = entries.filter((entry) => known.has(entry));
    await records.remove(removed.map(blockRecordName));
    await announceChange();
    return removed;
  }

  async function reports(id?: string): Promise<StoredReport[]> {
    if (id !== undefined) requireLiveId(id);
    const names = await reportNames(records, id);
    const found: StoredReport[] = [];
    for await (const report of inBatches(names, (name) => readReport(records, name))) {
      const reported = report && parseUploadId(report.id);
      if (report && reported && !isExpired(reported, now())) found.push(report);
    }
    return found.sort((a, b) => b.at - a.at);
  }

  return {
    async show(text) {
      const id = requireLiveId(text);
      const collection = await readCollection(storage.collections, id);
      if (collection) return { collection: { id, ...collection }, reports: await reports(id) };
      const { description } = await requireFile(storage, id);
      return { description, reports: await reports(id) };
    },
    remove,
    block,
    unblock,
    blocked: () => readBlockEntries(records),
    reports,
  };
}
