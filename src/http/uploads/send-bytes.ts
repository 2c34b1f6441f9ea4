import type { ServerResponse } from 'node:http';
import type { Chunks } from '../../uploads/storage.ts';

/** Sends bytes at the speed of the client. Stops reading chunks, which closes the file, when the client disconnects. */
export async function sendBytes(response: ServerResponse, bytes: Buffer | Chunks | undefined): Promise<void> {
  if (!bytes || Buffer.isBuffer(bytes)) {
    response.end(bytes);
    return;
  }
  try {
    for await (const chunk of bytes) {
      if (!(await write(response, chunk))) return;
    }
    response.end();
  } catch (error) {
    // The headers have declared more bytes than can be sent. Only a closed connection shows that to the client.
    response.destroy();
    throw new Error('a file could not be read to its end', { cause: error });
  }
}

/** Resolves once the kernel has the chunk; with false when the client has disconnected. */
async function write(response: ServerResponse, chunk: Buffer): Promise<boolean> {
  if (response.destroyed) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onClose = () => resolve(false);
  response.once('close', onClose);
  response.write(chunk, () => {
    response.off('close', onClose);
    resolve(!response.destroyed);
  });
  return promise;
}
