/**
 * How long a thread may run without an answer, in CPU time of its own. Wall-clock time proves nothing: a thread that gets no
 * CPU time for a minute is as silent as a thread in an endless loop.
 */
const MAX_CPU_MS = 10_000;
/** While it starts, it may render a large listing for the first time. */
const MAX_CPU_AT_START_MS = 60_000;
/** A silence of this length is reported. */
const REPORT_AFTER_MS = 10_000;

interface SilenceOptions {
  /**
   * Resolves with the CPU time that the thread has used in all, in ms. It may never resolve: a thread that executes nothing
   * does not reply.
   */
  readCpuMs: () => Promise<number>;
  /** Called when the thread has run for too long without an answer. */
  onFrozen: (cpuMs: number) => void;
  /** Called once in a silence that is long, while the thread has hardly run. */
  onStarved: (silentMs: number) => void;
  /** Called with the length of such a silence when it ends. */
  onAnswer: (silentMs: number) => void;
}

/** Judges the silence of a thread. */
export interface SilenceWatch {
  /** Has to be called at an interval that counts only while this thread runs: a suspended machine is no silence. */
  tick(intervalMs: number): void;
  /** The thread has sent something. */
  end(): void;
  /** The thread has started. */
  noteReady(): void;
}

/**
 * A thread that runs without answering is frozen. A thread that does not run is starved by
 * other programs, or waits for a system call: a restart would not help, and would take CPU time from the other threads.
 */
export function watchSilence({ readCpuMs, onFrozen, onStarved, onAnswer }: SilenceOptions): SilenceWatch {
  let maxCpuMs = MAX_CPU_AT_START_MS;
  let silentMs = 0;
  /** The CPU time of the thread at its first reading in this silence, and at the last one. */
  let first: number | undefined;
  let last = 0;
  let isReading = false;
  let isReported = false;

  async function measure(): Promise<void> {
    if (isReading) return;
    isReading = true;
    const before = silentMs;
    const cpuMs = await readCpuMs().catch(() => undefined);
    isReading = false;
    // It may have answered meanwhile.
    if (cpuMs === undefined || silentMs < before) return;
    first ??= cpuMs;
    last = cpuMs;
    if (last - first > maxCpuMs) onFrozen(last - first);
  }

  return {
    tick(intervalMs) {
      silentMs += intervalMs;
      // The answer to the last ping may be on its way.
      if (silentMs > intervalMs) void measure();
      if (silentMs < REPORT_AFTER_MS || isReported) return;
      const cpuMs = last - (first ?? last);
      if (cpuMs > silentMs / 2) return;
      isReported = true;
      onStarved(silentMs);
    },
    end() {
      if (isReported) onAnswer(silentMs);
      silentMs = 0;
      first = undefined;
      last = 0;
      isReported = false;
    },
    noteReady() {
      maxCpuMs = MAX_CPU_MS;
    },
  };
}
