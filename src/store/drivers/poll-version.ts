/**
 * Calls the watchers of a store when its version has changed, and when that cannot be read: the read that follows reports
 * why. `notify` calls them at once.
 */
export function pollVersion(read: () => Promise<string | null>, everyMs: number) {
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
    watch(onChange: () => void) {
      watchers.add(onChange);
      return () => void watchers.delete(onChange);
    },
    stop() {
      watchers.clear();
      clearInterval(polling);
    },
  };
}
