import type { Store } from '../store.ts';

/** The watchers of a store. */
interface Watching extends Pick<Store, 'watch' | 'notify'> {
  stop(): void;
}

/** Calls the watchers when the version has changed, and when it cannot be read: the read that follows reports why. */
export function pollVersion(read: () => Promise<string | null>, everyMs: number): Watching {
  const watchers = new Set<() => void>();
  let seen: string | null = null;
  const notify = () => {
    for (const watcher of watchers) watcher();
  };
  const polling = setInterval(async () => {
    const latest = await read().catch(String);
    if (latest !== seen) notify();
    seen = latest;
  }, everyMs);
  polling.unref();
  return {
    notify,
    watch(onChange) {
      watchers.add(onChange);
      return () => void watchers.delete(onChange);
    },
    stop() {
      watchers.clear();
      clearInterval(polling);
    },
  };
}
