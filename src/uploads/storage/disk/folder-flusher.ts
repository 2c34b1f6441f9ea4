import { open } from 'node:fs/promises';

/**
 * Returns a function that makes renames into a folder durable. A folder is flushed once at a time. Requests that come
 * during a flush share the next one, because the current one may not cover them.
 */
export function createFolderFlusher(): (folder: string) => Promise<void> {
  const flushes = new Map<string, { current: Promise<void>; next?: Promise<void> }>();

  function start(folder: string): Promise<void> {
    const current = flushFolder(folder).finally(() => flushes.delete(folder));
    flushes.set(folder, { current });
    return current;
  }

  return (folder) => {
    const underWay = flushes.get(folder);
    if (!underWay) return start(folder);
    underWay.next ??= underWay.current.catch(() => {}).then(() => start(folder));
    return underWay.next;
  };
}

export async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}
