import type { IncomingMessage } from 'node:http';
import type { ReadBody } from '../../../uploads/resumable/receive-piece.ts';
import { enforceMinRate, type UploadRateLimits } from '../min-upload-rate.ts';
import { cutOff } from '../multipart-errors.ts';

/**
 * Reads the body of a request as it arrives, so that nothing of it waits in a buffer that a broken connection would
 * empty. The connection of a sender that is too slow is closed. After a failure the rest of the body is dropped.
 */
export function readBodyOf(request: IncomingMessage, limits: UploadRateLimits): ReadBody {
  return async (append, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const resume = () => void request.resume();
    const onAbort = () => reject(signal.reason);
    const onClose = () => reject(cutOff());

    function onData(chunk: Buffer): void {
      try {
        const wait = append(chunk);
        if (!wait) return;
        request.pause();
        wait.then(resume, reject);
      } catch (error) {
        reject(error);
      }
    }

    if (signal.aborted) onAbort();
    if (request.destroyed && !request.readableEnded) onClose();
    const stopWatching = enforceMinRate(request, limits, () => {});
    request.on('data', onData).once('end', resolve).once('close', onClose);
    signal.addEventListener('abort', onAbort);
    try {
      await promise;
    } finally {
      stopWatching();
      request.off('data', onData).off('end', resolve).off('close', onClose);
      signal.removeEventListener('abort', onAbort);
      resume();
    }
  };
}
