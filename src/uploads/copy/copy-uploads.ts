import type { CopyCount, OnCopied } from '../../domain/copy.ts';
import { AppError } from '../../domain/errors.ts';
import { inBatches } from '../../domain/serial.ts';
import { isExpired, type UploadId } from '../../domain/upload-id.ts';
import { attempt, type Failures } from '../storage/failures.ts';
import { type Objects, placeOf, RESUMABLE } from '../storage/objects.ts';
import type { Storage } from '../storage.ts';
import { copyFile } from './copy-file.ts';
import { requireTarget, STORAGE_COPY_MARK, writeCopyMark } from './copy-mark.ts';
import { copyResumable, removeResumable } from './copy-resumable.ts';

interface UploadsCopy {
  /** Is only read, and may be in use. */
  from: Storage;
  to: Storage;
  /** Names `from`, the same in each run, without credentials. */
  fromName: string;
  /** Ms since 1970. */
  now: number;
  onCopied: OnCopied;
}

/** How a part of a storage is copied: as objects that are compared whole, in a way of its own, or not, since it keeps nothing. */
const PARTS = {
  records: 'objects',
  collections: 'objects',
  contents: 'files',
  resumable: 'uploads in progress',
  stage: null,
  open: null,
  remove: null,
  sweep: null,
  usage: null,
  free: null,
  check: null,
  close: null,
} as const satisfies { [Part in keyof Storage]: Storage[Part] extends Objects ? 'objects' : string | null };

type ObjectsPart = 'records' | 'collections';

/** How many items are read and compared before the next ones are listed. */
const STEP = 256;
/** How often an item is tried that changes while it is copied. */
const MAX_ATTEMPTS = 5;

/**
 * Copies everything that a storage keeps: files and marks under their ids, uploads in progress, and records. What `to` has already
 * is compared, and what `from` has no more is removed. Each item fails alone, and is in `failures`: with any, the copy is not
 * complete. Throws CopyRefusedError before anything has changed.
 */
export async function copyUploads(copy: UploadsCopy): Promise<{ counts: CopyCount[]; failures: Failures }> {
  const { from, to, fromName } = copy;
  const failures: Failures = new Map();
  const wasCompared = await requireTarget(from, to, fromName);
  await writeCopyMark(to.records, { from: fromName, isCompared: false });
  const counts = [
    // Before the files: an upload that is completed meanwhile is found as a file then.
    await copyUploadsInProgress(copy, failures),
    await copyFiles(copy, !wasCompared, failures),
  ];
  for (const [part, kind] of Object.entries(PARTS))
    if (kind === 'objects') counts.push(await copyObjects(part as ObjectsPart, copy, failures));
  if (failures.size === 0) await writeCopyMark(to.records, { from: fromName, isCompared: true });
  return { counts, failures };
}

function copyUploadsInProgress(copy: UploadsCopy, failures: Failures): Promise<CopyCount> {
  const { from, to, now } = copy;
  return copyAll(PARTS.resumable, {
    from: from.resumable.keys(),
    to: to.resumable.keys(),
    placeOf: (key) => RESUMABLE + placeOf(key),
    copy: (key) => copyResumable(key, { from, to, now }),
    remove: (key) => removeResumable(to, key),
    onCopied: copy.onCopied,
    failures,
  });
}

function copyFiles(copy: UploadsCopy, comparesBytes: boolean, failures: Failures): Promise<CopyCount> {
  const { from, to, now } = copy;
  return copyAll(PARTS.contents, {
    from: unexpired(from.contents.ids(), now),
    to: unexpired(to.contents.ids(), now),
    placeOf,
    copy: (id) => copyFile(id, { from, to, comparesBytes }),
    async remove(id) {
      // A mark stays until it expires.
      await to.remove(id);
    },
    onCopied: copy.onCopied,
    failures,
  });
}

function copyObjects(
  part: ObjectsPart,
  { from, to, onCopied }: UploadsCopy,
  failures: Failures,
): Promise<CopyCount> {
  const names = (objects: Objects) => without(objects.list(''), STORAGE_COPY_MARK);

  async function copyObject(name: string): Promise<Copied> {
    const content = await from[part].get(name);
    const copy = await to[part].get(name);
    if (content === undefined) {
      await to[part].remove([name]);
      return 'absent';
    }
    if (copy?.equals(content)) return 'same';
    await to[part].put(name, content);
    if (!(await to[part].get(name))?.equals(content)) throw new Error('the copy is not the same');
    return 'copied';
  }

  return copyAll(part, {
    from: names(from[part]),
    to: names(to[part]),
    placeOf: (name) => `${part}/${name}`,
    copy: copyObject,
    remove: (name) => to[part].remove([name]),
    onCopied,
    failures,
  });
}

type Copied = 'same' | 'copied' | 'absent';

interface CopyAll<Name extends string> {
  from: AsyncIterable<Name>;
  to: AsyncIterable<Name>;
  /** Names an item for the operator. */
  placeOf: (name: Name) => string;
  copy: (name: Name) => Promise<Copied>;
  remove: (name: Name) => Promise<void>;
  onCopied: OnCopied;
  failures: Failures;
}

/** Copies the items of one kind, and removes those that are only in `to`. */
async function copyAll<Name extends string>(kind: string, all: CopyAll<Name>): Promise<CopyCount> {
  const { placeOf, copy, remove, onCopied, failures } = all;
  const count: CopyCount = { kind, kept: 0, copied: 0, removed: 0 };
  const left = new Set(await Array.fromAsync(all.to));

  async function copyOne(name: Name): Promise<void> {
    const copied = await attempt(failures, placeOf(name), () => retryChanged(() => copy(name)));
    if (copied === 'same' || copied === 'copied') count.kept += 1;
    if (copied === 'copied') count.copied += 1;
    if (copied === 'absent' && left.has(name)) count.removed += 1;
  }

  for await (const names of inSteps(all.from)) {
    await Array.fromAsync(inBatches(names, copyOne));
    for (const name of names) left.delete(name);
    onCopied(kind, count.kept);
  }
  const removeOne = (name: Name) =>
    attempt(failures, placeOf(name), async () => {
      await remove(name);
      count.removed += 1;
    });
  await Array.fromAsync(inBatches([...left], removeOne));
  return count;
}

/** Tries again where an item was removed, completed or joined while it was read: the next attempt finds what became of it. */
async function retryChanged(work: () => Promise<Copied>, attempts = MAX_ATTEMPTS): Promise<Copied> {
  try {
    return await work();
  } catch (error) {
    const hasChanged = error instanceof AppError && (error.code === 'not-found' || error.code === 'locked');
    if (!hasChanged || attempts === 1) throw error;
    return retryChanged(work, attempts - 1);
  }
}

async function* inSteps<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let step: Item[] = [];
  for await (const item of items) {
    step.push(item);
    if (step.length < STEP) continue;
    yield step;
    step = [];
  }
  if (step.length > 0) yield step;
}

async function* unexpired(ids: AsyncIterable<UploadId>, now: number): AsyncGenerator<UploadId> {
  for await (const id of ids) if (!isExpired(id, now)) yield id;
}

async function* without(names: AsyncIterable<string>, name: string): AsyncGenerator<string> {
  for await (const one of names) if (one !== name) yield one;
}
