import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Defer } from './defer.ts';

/** A TCP relay to a port of this machine, as a network between two machines that can be cut. */
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
    /** Lets nothing pass from now on; connections stay open, as where packets are dropped. */
    cut(): void {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    /** Lets everything pass again, what was sent meanwhile included. */
    join(): void {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
