import type { Store } from './store.ts';

/** Wakes a job that waits for changes of the store. */
export interface Alarm {
  ring(): void;
  /** Resolves once it has rung since the last call. */
  wait(): Promise<void>;
  stop(): void;
}

/** Rings when the store has changed, every `everyMs`, and at once when `signal` is aborted. */
export function createAlarm(store: Pick<Store, 'watch'>, everyMs: number, signal: AbortSignal): Alarm {
  let rung = Promise.withResolvers<void>();
  const ring = () => rung.resolve();
  const unwatch = store.watch(ring);
  const timer = setInterval(ring, everyMs);
  signal.addEventListener('abort', ring);

  return {
    ring,
    async wait() {
      await rung.promise;
      rung = Promise.withResolvers<void>();
    },
    stop() {
      unwatch();
      clearInterval(timer);
    },
  };
}
