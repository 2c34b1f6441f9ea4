import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type CopyCount, type CopyEnd, CopyRefusedError, type OnCopied, useEnd } from '../domain/copy.ts';
import { COPY_MARK, type StoreCopyMark } from './copy-mark.ts';
import type { FlatStatus } from './source-status.ts';
import { ROW_KINDS, type RowKind, type Rows, type Store, type StoredItem } from './store.ts';
import { readStoredListing } from './stored-forms.ts';
import type { StoredPositions } from './stored-positions.ts';

interface StoreCopy {
  /** Is only read, and may be in use. */
  from: Pick<Store, 'values' | 'contents'>;
  to: Store;
  /** Names `from`, the same in each run, without credentials. */
  fromName: string;
  onCopied: OnCopied;
}

type Kind = 'values' | RowKind;

/** What each property of a store keeps. Without an entry for each, this does not compile, so no new kind is left out. */
const PARTS = {
  values: 'values',
  subscriptions: 'rows',
  channels: 'rows',
  contents: null,
  lease: null,
  watch: null,
  notify: null,
  probe: null,
  shared: null,
  close: null,
} as const satisfies {
  [Part in keyof Store]: Part extends RowKind ? 'rows' : Store[Part] extends Rows ? never : 'values' | null;
};

/** More than there are values, which are a few dozen. */
const ALL = 1_000_000;
/** Rows that are read and written in one step, of some KB each. */
const STEP = 100;

/**
 * Copies everything that a store keeps, byte for byte, and compares it: values, with the snapshot, its events and the positions of
 * receivers, and the rows of each kind. What `from` has no more is removed. Throws CopyRefusedError before anything has
 * changed, and LaterStoreError where `from` is of a later version.
 */
export async function copyStore({ from, to, fromName, onCopied }: StoreCopy): Promise<CopyCount[]> {
  await requireKnown('FROM', from.contents);
  await requireKnown('TO', to.contents);
  if ((await from.contents.read('values', '', 1)).length === 0)
    throw new CopyRefusedError('FROM is empty; name the CACHE_URL of the service');
  await readStoredListing((key) => from.values.get(key), fromName);
  await requireTarget(to, fromName);
  const lease = await to.lease('refresh');
  if (!lease) throw new CopyRefusedError('a process is using TO; stop it first');
  try {
    const mark: StoreCopyMark = { from: fromName };
    await lease.write({ [COPY_MARK]: mark });
    const counts: CopyCount[] = [];
    for (const [part, keeps] of Object.entries(PARTS))
      if (keeps) counts.push(await copyKind(part as Kind, from.contents, to.contents, onCopied));
    return counts;
  } finally {
    await lease.release();
  }
}

async function requireKnown(end: CopyEnd, contents: Store['contents']): Promise<void> {
  const [unknown] = await useEnd(end, () => contents.findUnknown());
  if (unknown !== undefined)
    throw new CopyRefusedError(`${end} has ${unknown}, which this version of Tayang does not know`);
}

async function requireTarget({ values, contents }: Store, fromName: string): Promise<void> {
  const mark = await values.get<StoreCopyMark>(COPY_MARK);
  if (mark && mark.from !== fromName)
    throw new CopyRefusedError('TO is a copy of another store; name an empty one');
  if (mark) return;
  const keys = (await contents.read('values', '', ALL)).map(({ key }) => key);
  const rows = await Promise.all(ROW_KINDS.map((kind) => contents.read(kind, '', 1)));
  // What the first opening of a store writes, as the doctor does.
  const { attemptedAt = null } = (await values.get<FlatStatus>('status')) ?? {};
  const { revision = 0 } = (await values.get<StoredPositions>('outbox')) ?? {};
  const isNew = keys.every((key) => key === 'status' || key === 'outbox');
  if (!isNew || attemptedAt !== null || revision > 0 || rows.some((found) => found.length > 0))
    throw new CopyRefusedError('TO has data of its own, or a service has run on it; name an empty one');
}

async function copyKind(
  kind: Kind,
  from: Store['contents'],
  to: Store['contents'],
  onCopied: OnCopied,
): Promise<CopyCount> {
  let copied = 0;
  const before = await digestsOf(to, kind);
  /** What has to be there in the end. */
  const wanted = new Map<string, string>();
  for await (const items of pagesOf(from, kind)) {
    for (const item of items) wanted.set(item.key, digestOf(item));
    const changed = items.filter(({ key }) => before.get(key) !== wanted.get(key));
    if (changed.length > 0) await to.write(kind, changed, []);
    copied += changed.length;
    onCopied(kind, wanted.size);
  }
  const gone = [...before.keys()].filter((key) => !wanted.has(key));
  for (let at = 0; at < gone.length; at += STEP) await to.write(kind, [], gone.slice(at, at + STEP));
  if (!isDeepStrictEqual(await digestsOf(to, kind), wanted))
    throw new Error(`the copy of ${kind} is not the same`);
  return { kind, kept: wanted.size, copied, removed: gone.length };
}

/** The digests of all items of a kind, by key. */
async function digestsOf(contents: Store['contents'], kind: Kind): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for await (const items of pagesOf(contents, kind))
    for (const item of items) digests.set(item.key, digestOf(item));
  return digests;
}

/** Yields all items of a kind but the mark of a copy: values all at once, so that they are of one moment. */
async function* pagesOf(contents: Store['contents'], kind: Kind): AsyncGenerator<StoredItem[]> {
  const limit = kind === 'values' ? ALL : STEP;
  for (let after = ''; ; ) {
    const items = await contents.read(kind, after, limit);
    yield items.filter(({ key }) => kind !== 'values' || key !== COPY_MARK);
    if (items.length < limit) return;
    after = items.at(-1)!.key;
  }
}

function digestOf({ text, day }: StoredItem): string {
  return hash('sha256', `${day ?? ''} ${text}`);
}
