import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Defer } from './defer.ts';

interface CuttingProxyOptions {
  /** Where connections go, asked for each. */
  target: () => string;
  /** After how many bytes a connection is cut, of which there were so many cuts; Infinity for one that is not. */
  nextCut: (cuts: number) => number;
  bytesPerSecond: number;
}

const STEP_MS = 10;

/** A proxy that cuts connections in the middle, on both sides, and is as slow as a phone's. */
export async function openCuttingProxy(
  defer: Defer,
  { target, nextCut, bytesPerSecond }: CuttingProxyOptions,
) {
  const counts = { cuts: 0, sentBytes: 0 };
  const sockets = new Set<Socket>();
  const perStep = Math.ceil((bytesPerSecond * STEP_MS) / 1_000);

  const server = createServer((client) => {
    const { hostname, port } = new URL(target());
    const upstream = connect(Number(port), hostname);
    const cutAt = nextCut(counts.cuts);
    let passed = 0;
    const end = () => {
      client.destroy();
      upstream.destroy();
      clearInterval(timer);
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    upstream.pipe(client);
    const timer = setInterval(pass, STEP_MS);
    client.read(0);

    /** Reads as much as one step may have, and no more than is left until the cut. */
    function pass(): void {
      const length = Math.min(client.readableLength, perStep, cutAt - passed);
      if (length === 0 || upstream.connecting || upstream.writableLength > perStep)
        return void client.read(0);
      passed += length;
      counts.sentBytes += length;
      upstream.write(client.read(length));
      if (passed < cutAt) return;
      counts.cuts += 1;
      clearInterval(timer);
      // The server receives what was sent before the cut, as over a network that loses the connection and no data.
      upstream.unpipe(client).resume().end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, counts };
}
