/** How slowly a client may send a body or read a response. */
export interface MinRate {
  bytesPerSecond: number;
  /** How long a client may do nothing at all. */
  graceMs: number;
  /** The kernel reports progress in steps of this size. Within a step, the client's progress is invisible. */
  readStepBytes: number;
}

/**
 * The minimum rate of the service. A client that sends nothing is cut off after 30 seconds, a client that reads nothing
 * after 94.
 */
export const MIN_RATE: MinRate = {
  bytesPerSecond: 8 * 1024,
  graceMs: 30_000,
  readStepBytes: 512 * 1024,
};

/** The time that a client has left while it is waited for. A client whose time is negative is cut off. */
export interface Credit {
  ms: number;
  /** The bytes moved so far over its connection. */
  bytes: number;
}

/**
 * Returns the credit of a client after another `elapsedMs`; undefined while nothing is waited for, and `bytes` is undefined.
 * Bytes that it moves add the time that they take at the minimum rate, up to the grace and one step.
 */
export function nextCredit(
  { bytesPerSecond, graceMs }: Pick<MinRate, 'bytesPerSecond' | 'graceMs'>,
  previous: Credit | undefined,
  bytes: number | undefined,
  elapsedMs: number,
  stepBytes = 0,
): Credit | undefined {
  if (bytes === undefined) return undefined;
  const toMs = (moved: number) => (moved / bytesPerSecond) * 1_000;
  const maxMs = graceMs + toMs(stepBytes);
  if (!previous) return { ms: maxMs, bytes };
  return { ms: Math.min(maxMs, previous.ms + toMs(bytes - previous.bytes) - elapsedMs), bytes };
}
