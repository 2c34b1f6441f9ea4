import type { DependencyCheck } from '../domain/health.ts';

/** The longest time that a check may take. */
export const CHECK_TIMEOUT_MS = 2_500;
/** How often the time of a running check is counted. */
const TICK_MS = 100;
/** If a tick comes later than this, the process got no CPU time, so it could not read an answer either. */
const MAX_TICK_MS = 2 * TICK_MS;
/** If the process got no CPU time for this long during a check, its failure proves nothing. */
const MAX_LOST_MS = 500;

/** Why a check has failed. */
export interface CheckFailure {
  error: unknown;
  startedAt: number;
  /** Whether it was given up because no answer came in time. */
  isTimeout: boolean;
  /** Whether the process has had enough CPU time to read an answer: otherwise it proves nothing. */
  isProof: boolean;
}

/**
 * Runs a check once. Calls `onResult` as soon as it has succeeded, with undefined, has failed, or is given up. Resolves when it has
 * ended. While the process itself gets no CPU time, a long wait does not count.
 */
export async function runCheckOnce(
  check: DependencyCheck,
  elapsedMs: () => number,
  onResult: (failure: CheckFailure | undefined) => void,
): Promise<void> {
  const timeout = new AbortController();
  const startedAt = elapsedMs();
  let tickedAt = startedAt;
  /** How long the process has waited while it could have read an answer. */
  let waitedMs = 0;

  function tick(): void {
    const at = elapsedMs();
    waitedMs += Math.min(at - tickedAt, MAX_TICK_MS);
    tickedAt = at;
    if (waitedMs < CHECK_TIMEOUT_MS) return;
    clearInterval(ticking);
    fail(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`), true);
    timeout.abort();
  }

  function fail(error: unknown, isTimeout: boolean): void {
    const lostMs = elapsedMs() - startedAt - waitedMs;
    const isProof = lostMs < MAX_LOST_MS || waitedMs >= CHECK_TIMEOUT_MS;
    onResult({ error, startedAt, isTimeout, isProof });
  }

  const ticking = setInterval(tick, TICK_MS);
  ticking.unref();
  await check(timeout.signal).then(
    () => onResult(undefined),
    (error: unknown) => {
      tick();
      if (!timeout.signal.aborted) fail(error, false);
    },
  );
  clearInterval(ticking);
}
