const PING_EVERY_MS = 1_000;
/** A thread that has answered nothing for so long is frozen. */
const MAX_SILENCE_MS = 10_000;

export interface FreezeWatch {
  /** The thread has just shown that it runs. */
  alive(): void;
  stop(): void;
}

/**
 * Pings a thread every second and calls `onFrozen` once it has been silent for ten. Time in which this thread itself
 * was kept from running (a suspended machine, a debugger) does not count.
 */
export function watchForFreeze(ping: () => void, onFrozen: (error: Error) => void): FreezeWatch {
  let silentMs = 0;
  const timer = setInterval(() => {
    silentMs += PING_EVERY_MS;
    if (silentMs <= MAX_SILENCE_MS) return ping();
    clearInterval(timer);
    onFrozen(new Error(`it has not answered for ${MAX_SILENCE_MS / 1_000} s`));
  }, PING_EVERY_MS);
  timer.unref();
  return {
    alive() {
      silentMs = 0;
    },
    stop: () => clearInterval(timer),
  };
}
