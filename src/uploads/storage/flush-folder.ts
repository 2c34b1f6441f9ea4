import { open } from 'node:fs/promises';

interface Flush {
  underWay: Promise<void>;
  /** For who came after it had begun. */
  next?: Promise<void>;
}

/**
 * Makes what has been renamed into a folder outlive a power cut. One flush at a time for a folder: all who come while
 * one is under way, which may have passed them by, share the next.
 */
export function createFolderFlusher(): (folder: string) => Promise<void> {
  const flushes = new Map<string, Flush>();

  function begin(folder: string): Promise<void> {
    const underWay = flush(folder).finally(() => flushes.delete(folder));
    flushes.set(folder, { underWay });
    return underWay;
  }

  return (folder) => {
    const known = flushes.get(folder);
    if (!known) return begin(folder);
    known.next ??= known.underWay.catch(() => {}).then(() => begin(folder));
    return known.next;
  };
}

async function flush(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}
