import type { Socket } from 'node:net';

export interface ReaderLimits {
  minBytesPerSecond: number;
  /** How long a client may take nothing at all. */
  graceMs: number;
  /** The kernel reports progress in steps: what a client has taken of a step is not known before its end. */
  stepBytes: number;
}

/** The least rate of the contract. A client that reads nothing is cut off after 94 seconds. */
export const SLOWEST_READER: ReaderLimits = {
  minBytesPerSecond: 8 * 1024,
  graceMs: 30_000,
  stepBytes: 512 * 1024,
};

export type Sending = Pick<Socket, 'bytesWritten' | 'writableLength' | 'destroy'>;

/**
 * Returns a function to be called now and then with all connections of a server. It destroys those whose client
 * takes an answer too slowly, whatever the answer is. Only the time counts in which bytes wait for the client.
 */
export function createReaderWatch(limits: ReaderLimits, now: () => number) {
  const { minBytesPerSecond, graceMs, stepBytes } = limits;
  const toMs = (bytes: number) => (bytes / minBytesPerSecond) * 1_000;
  const maxCreditMs = graceMs + toMs(stepBytes);
  const waiting = new WeakMap<Sending, { taken: number; creditMs: number }>();
  let checkedAt = now();

  function check(socket: Sending, elapsedMs: number): void {
    const taken = socket.bytesWritten - socket.writableLength;
    const known = waiting.get(socket);
    if (!known) return void waiting.set(socket, { taken, creditMs: maxCreditMs });
    const earnedMs = toMs(taken - known.taken) - elapsedMs;
    known.creditMs = Math.min(maxCreditMs, known.creditMs + earnedMs);
    known.taken = taken;
    if (known.creditMs < 0) socket.destroy();
  }

  return (sockets: Iterable<Sending>): void => {
    const at = now();
    for (const socket of sockets) {
      if (socket.writableLength > 0) check(socket, at - checkedAt);
      else waiting.delete(socket);
    }
    checkedAt = at;
  };
}
