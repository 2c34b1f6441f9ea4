import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Defer } from './defer.ts';

/** A TCP relay to a port of this machine. It stands for a network that can fail. */
export async function openRelay(defer: Defer, target: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('data', (bytes) => other.write(bytes));
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      if (isCut) one.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** Lets nothing pass from now on. Connections stay open, as if packets were dropped. */
    cut(): void {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    /** Lets everything pass again, including what was sent meanwhile. */
    join(): void {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
