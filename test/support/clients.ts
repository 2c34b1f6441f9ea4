import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished } from 'vitest';

export const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** Opens connections from an address of this machine, which counts as a client of its own. */
export async function connectFrom(origin: string, localAddress: string, count: number) {
  const { hostname: host, port } = new URL(origin);
  const sockets = Array.from({ length: count }, () => connect({ host, port: Number(port), localAddress }));
  const connected = sockets.map((socket) => {
    onTestFinished(() => void socket.destroy());
    return once(
      socket.on('error', () => {}),
      'connect',
    );
  });
  await Promise.all(connected);
  return sockets;
}

/** Sends a request on a connection of its own. Resolves with the first bytes of the answer. */
export async function ask(origin: string, localAddress: string, request = GET): Promise<string> {
  const [socket] = await connectFrom(origin, localAddress, 1);
  let text = '';
  socket!.setEncoding('utf8').on('data', (data) => {
    text += data;
  });
  socket!.write(request);
  await expect.poll(() => text !== '' || socket!.closed).toBe(true);
  return text;
}
