import type { Socket } from 'node:net';
import type { CloseReason } from '../../domain/operational-event.ts';
import type { CountedRequest } from './counted-request.ts';
import { type Credit, type MinRate, nextCredit } from './min-rate.ts';

/** How slowly the client of one connection sends and reads. */
export interface TransferRates {
  /**
   * Counts time that has passed. Returns why the connection is to be closed, once its client has used up its time. Time counts
   * only while a body is read as it arrives, or while bytes of a response wait, so a slow storage costs no credit. The framing of
   * chunks does not count as bytes of the body. `request`: the one whose body arrives.
   */
  check(request: CountedRequest | undefined, elapsedMs: number): CloseReason | undefined;
}

export function createTransferRates(socket: Socket, minRate: MinRate): TransferRates {
  let received: CountedRequest | undefined;
  let sending: Credit | undefined;
  let reading: Credit | undefined;

  return {
    check(request, elapsedMs) {
      const before = request === received ? sending : undefined;
      received = request;
      sending = nextCredit(minRate, before, request?.bodyBytes, request?.isResting ? 0 : elapsedMs);
      const { bytesWritten, writableLength } = socket;
      const taken = writableLength > 0 ? bytesWritten - writableLength : undefined;
      reading = nextCredit(minRate, reading, taken, elapsedMs, minRate.readStepBytes);
      if (sending && sending.ms < 0) return 'slow-sender';
      if (reading && reading.ms < 0) return 'slow-reader';
      return undefined;
    },
  };
}
