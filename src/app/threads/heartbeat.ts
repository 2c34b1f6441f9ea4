const PING_EVERY_MS = 1_000;
const MAX_SILENCE_MS = 10_000;

interface HeartbeatOptions {
  /** Asks the thread for a message. */
  ping: () => void;
  onFrozen: (error: Error) => void;
  maxSilenceMs?: number | undefined;
}

interface Heartbeat {
  /** Notes that the thread has sent a message. */
  noteMessage(): void;
  stop(): void;
}

/**
 * Pings a thread every second and calls `onFrozen` once it has been silent for too long. Silence is counted in pings, so
 * that time in which this thread itself did not run (a suspended machine, a debugger) does not count.
 */
export function startHeartbeat({
  ping,
  onFrozen,
  maxSilenceMs = MAX_SILENCE_MS,
}: HeartbeatOptions): Heartbeat {
  let silentMs = 0;
  const timer = setInterval(() => {
    silentMs += PING_EVERY_MS;
    if (silentMs <= maxSilenceMs) return ping();
    clearInterval(timer);
    onFrozen(new Error(`it has not answered for ${maxSilenceMs / 1_000} s`));
  }, PING_EVERY_MS);

  return {
    noteMessage() {
      silentMs = 0;
    },
    stop: () => clearInterval(timer),
  };
}
