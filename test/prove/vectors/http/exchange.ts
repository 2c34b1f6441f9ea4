import { connect } from 'node:net';

/** How long a server may be silent: one that is silent waits for more of the request. */
const MAX_SILENT_MS = 15_000;

/**
 * Sends bytes over a new connection, and `next` over the same one as soon as an answer begins. Resolves with all that
 * has arrived when the server ends the connection, or has been silent for long.
 */
export function exchange(origin: string, bytes: string, next: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let received = '';
  socket.setTimeout(MAX_SILENT_MS, () => socket.destroy());
  socket.write(Buffer.from(bytes, 'latin1'));
  socket.on('data', (text: string) => {
    if (received === '') socket.write(next);
    received += text;
  });
  // A server that has refused the request resets the connection when more arrives.
  socket.on('error', () => {});
  socket.on('end', () => socket.destroy());
  socket.on('close', () => resolve(received));
  return promise;
}
