import type { ServerResponse } from 'node:http';
import type { Pieces } from '../../uploads/storage.ts';

/** Sends bytes, a piece at a time as the client takes them. A client that goes away takes the descriptor along. */
export async function sendBytes(response: ServerResponse, bytes: Buffer | Pieces | undefined): Promise<void> {
  if (!bytes || Buffer.isBuffer(bytes)) return void response.end(bytes);
  try {
    for await (const piece of bytes) {
      if (!(await write(response, piece))) return;
    }
    response.end();
  } catch {
    // The promised length cannot be kept: only a broken connection tells the client.
    response.destroy();
  }
}

/** Resolves once a piece is handed to the kernel; false when the client is gone. */
async function write(response: ServerResponse, piece: Buffer): Promise<boolean> {
  if (response.destroyed) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onClose = () => resolve(false);
  response.once('close', onClose);
  response.write(piece, () => {
    response.off('close', onClose);
    resolve(!response.destroyed);
  });
  return promise;
}
