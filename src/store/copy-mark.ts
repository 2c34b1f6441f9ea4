import type { Store } from './store.ts';

/** The value that says of what a store is a copy. The first process that serves from the store removes it. */
export const COPY_MARK = 'copy';

/** How often the removal is tried while the store cannot be written. */
const RETRY_MS = 5_000;

export interface StoreCopyMark {
  /** Names the store that was copied. */
  from: string;
}

/**
 * Removes the mark, so that no later copy overwrites what this process writes. Tries until it succeeds; returns the function
 * that ends that.
 */
export function removeCopyMark({ values, contents }: Pick<Store, 'values' | 'contents'>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function remove(): Promise<void> {
    try {
      if (await values.get(COPY_MARK)) await contents.write('values', [], [COPY_MARK]);
    } catch {
      if (!isStopped) timer = setTimeout(remove, RETRY_MS).unref();
    }
  }

  void remove();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
