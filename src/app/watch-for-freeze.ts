const PING_EVERY_MS = 1_000;
const MAX_SILENCE_MS = 10_000;

export interface FreezeWatchOptions {
  /** Asks the thread to show that it runs. */
  ping: () => void;
  onFrozen: (error: Error) => void;
  maxSilenceMs?: number | undefined;
}

export interface FreezeWatch {
  /** The thread has just shown that it runs. */
  alive(): void;
  stop(): void;
}

/**
 * Pings a thread every second and calls `onFrozen` once it has been silent for too long. Silence is counted in pings,
 * so that time in which this thread itself was kept from running (a suspended machine, a debugger) does not count.
 */
export function watchForFreeze(options: FreezeWatchOptions): FreezeWatch {
  const { ping, onFrozen, maxSilenceMs = MAX_SILENCE_MS } = options;
  let silentMs = 0;
  const timer = setInterval(() => {
    silentMs += PING_EVERY_MS;
    if (silentMs <= maxSilenceMs) return ping();
    clearInterval(timer);
    onFrozen(new Error(`it has not answered for ${maxSilenceMs / 1_000} s`));
  }, PING_EVERY_MS);

  return {
    alive() {
      silentMs = 0;
    },
    stop: () => clearInterval(timer),
  };
}
