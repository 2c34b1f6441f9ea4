import { randomBytes } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { inBatches } from '../../domain/serial.ts';
import { createUploadId, expiryOf, isExpired, parseUploadId, type UploadId } from '../../domain/upload-id.ts';
import { canonicalAddress } from '../../network/ip-address.ts';
import type { BlockList } from '../moderation/block-list.ts';
import { SECRET_BYTES, type Sender } from '../publish.ts';
import type { Quota } from '../quota.ts';
import { requireUnexpired, type UploadClocks } from '../steady-clock.ts';
import { RemovedFileError, type Storage, type StoredFile } from '../storage.ts';
import type { Uploads } from '../uploads.ts';
import {
  collectionBytes,
  readCollection,
  type StoredCollection,
  writeCollection,
} from './collection-store.ts';

/** How many files one collection may have. */
export const MAX_COLLECTED = 100;

export interface CollectedFile {
  id: UploadId;
  file: StoredFile;
}

/** Several files under one link. It ends with the last of its files. */
export interface Collection {
  id: UploadId;
  /** Ms since 1970. */
  expiresAt: number;
  /** Those that are still there, in the order in which they were named. */
  files: CollectedFile[];
}

export interface Collections {
  /**
   * Makes a collection of files, each once. Throws what `Uploads.find` throws of a file that is not there, with its name, and
   * `blocked` for one whose bytes are blocked; `storage-full`, `share-full`, `limiter-down` or `clock-ahead`.
   */
  create(files: readonly NamedFile[], sender: Sender): Promise<Collection>;
  /**
   * Throws AppError `expired` when the time in the id is past, `not-found` when there is no such collection or nothing is left
   * of it, and `removed` or `removed-legally` when the operator removed it.
   */
  find(id: string): Promise<Collection>;
}

/** A file as a request names it. */
export interface NamedFile {
  id: string;
  /** As it was sent, for messages. */
  name: string;
}

interface CollectionsOptions extends UploadClocks {
  storage: Pick<Storage, 'collections' | 'open'>;
  uploads: Pick<Uploads, 'find'>;
  quota: Pick<Quota, 'reserve'>;
  blocks: () => Promise<Pick<BlockList, 'hasSha256'>>;
}

export function createCollections(options: CollectionsOptions): Collections {
  const { storage, uploads, quota, blocks, now, steadyNow } = options;

  async function requireFile({ id, name }: NamedFile): Promise<CollectedFile> {
    const file = await uploads.find(id).catch((error: unknown) => {
      throw error instanceof AppError ? naming(name, error) : error;
    });
    if ((await blocks()).hasSha256(file.description.sha256))
      throw new AppError('blocked', `${name}: the operator has blocked the content of this file`);
    // `find` returns no file of anything that is no id.
    return { id: parseUploadId(id)!, file };
  }

  async function create(named: readonly NamedFile[], { owner, address }: Sender): Promise<Collection> {
    const once = new Map(named.map((file) => [file.id, file]));
    const files = await Array.fromAsync(inBatches([...once.values()], requireFile));
    const expiresAt = Math.max(...files.map(({ id }) => expiryOf(id)));
    requireUnexpired(expiresAt, options);
    const id = createUploadId(expiresAt, randomBytes(SECRET_BYTES));
    const stored: StoredCollection = {
      files: files.map((file) => file.id),
      owner,
      address: canonicalAddress(address),
      createdAt: steadyNow(),
    };
    const space = await quota.reserve(owner);
    try {
      const size = collectionBytes(stored);
      const grant = await space.grant(size);
      grant.requireValid();
      await writeCollection(storage.collections, id, stored);
      await grant.commit({ id, size });
    } finally {
      space.release();
    }
    return { id, expiresAt, files };
  }

  async function find(text: string): Promise<Collection> {
    const id = parseUploadId(text);
    if (id === undefined) throw noSuchCollection();
    if (isExpired(id, now())) throw new AppError('expired', 'this collection has expired');
    const stored = await readCollection(storage.collections, id).catch(rethrowRemoval);
    if (!stored) throw noSuchCollection();
    const { hasSha256 } = await blocks();
    const left = await Array.fromAsync(inBatches(stored.files, findLeft));
    const files = left
      .filter((one) => one !== undefined)
      .filter(({ file }) => !hasSha256(file.description.sha256));
    if (files.length === 0) throw new AppError('not-found', 'nothing is left of this collection');
    return { id, expiresAt: expiryOf(id), files };
  }

  /** Undefined for a file that is not there any more, or cannot be read. */
  async function findLeft(id: UploadId): Promise<CollectedFile | undefined> {
    if (isExpired(id, now())) return undefined;
    try {
      const file = await storage.open(id);
      return file && { id, file };
    } catch (error) {
      // A storage that does not answer has lost nothing. Any other error concerns this file alone.
      if (error instanceof AppError && !(error instanceof RemovedFileError)) throw error;
      return undefined;
    }
  }

  return { create, find };
}

function noSuchCollection(): AppError {
  return new AppError('not-found', 'there is no such collection');
}

/** The message of a removal speaks of a file. */
function rethrowRemoval(error: unknown): never {
  if (!(error instanceof RemovedFileError)) throw error;
  const isLegal = error.code === 'removed-legally';
  const reason = isLegal ? 'for legal reasons' : 'by the operator of this service';
  throw new AppError(error.code, `this collection was removed ${reason}`);
}

function naming(name: string, error: AppError): AppError {
  const { code, message, cause, retryAfterMs } = error;
  return new AppError(code, `${name}: ${message}`, { cause, retryAfterMs });
}
