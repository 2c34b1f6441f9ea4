import type { Socket } from 'node:net';

/** How slowly a client may read a response. */
export interface ReadRateLimits {
  minBytesPerSecond: number;
  /** How long a client may read nothing at all. */
  graceMs: number;
  /** The kernel reports progress in steps of this size. How much of a step a client has read is not known before its end. */
  stepBytes: number;
}

/** The minimum rate of the service. A client that reads nothing is cut off after 94 seconds. */
export const MIN_READ_RATE: ReadRateLimits = {
  minBytesPerSecond: 8 * 1024,
  graceMs: 30_000,
  stepBytes: 512 * 1024,
};

/** The time that a client has left while bytes wait for it. A client whose time is negative is cut off. */
export interface ReadCredit {
  ms: number;
  /** Bytes of the connection that the kernel has taken so far. */
  takenBytes: number;
}

/**
 * Returns the credit of a client after another `elapsedMs`; undefined while no bytes wait for it. Bytes that it reads add
 * the time that they take at the minimum rate, up to the grace and one step of the kernel. Only time in which bytes wait
 * for the client counts, so a slow disk costs it no credit.
 */
export function nextReadCredit(
  { minBytesPerSecond, graceMs, stepBytes }: ReadRateLimits,
  previous: ReadCredit | undefined,
  { bytesWritten, writableLength }: Pick<Socket, 'bytesWritten' | 'writableLength'>,
  elapsedMs: number,
): ReadCredit | undefined {
  if (writableLength === 0) return undefined;
  const toMs = (bytes: number) => (bytes / minBytesPerSecond) * 1_000;
  const maxMs = graceMs + toMs(stepBytes);
  const takenBytes = bytesWritten - writableLength;
  if (!previous) return { ms: maxMs, takenBytes };
  const ms = previous.ms + toMs(takenBytes - previous.takenBytes) - elapsedMs;
  return { ms: Math.min(maxMs, ms), takenBytes };
}
