import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Defer } from '../../support/defer.ts';

/**
 * `open` passes everything on. `refuse`: nothing listens, and connections are reset. `stall`: bytes wait, in both directions,
 * and arrive later. `error`: every request is answered with HTTP 500.
 */
type ProxyMode = 'open' | 'refuse' | 'stall' | 'error';

export interface TcpProxy {
  port: number;
  set(mode: ProxyMode): Promise<void>;
  /** Resets every connection once. */
  cut(): void;
}

interface Pair {
  client: Socket;
  server: Socket;
}

const ERROR = 'HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** Stands between one process and one server on the loopback, which stays reachable for the others. */
export async function openTcpProxy(defer: Defer, targetPort: number): Promise<TcpProxy> {
  let mode: ProxyMode = 'open';
  const pairs = new Set<Pair>();
  const refused = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    if (mode === 'error') answerError(client);
    else join(client);
  });
  await listen(0);
  const { port } = server.address() as AddressInfo;

  async function listen(at: number): Promise<void> {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  }

  function answerError(client: Socket): void {
    refused.add(client);
    client.on('error', () => {}).on('close', () => refused.delete(client));
    client.once('data', () => client.resume().end(ERROR));
  }

  function join(client: Socket): void {
    const pair = { client, server: connect({ port: targetPort, host: '127.0.0.1', noDelay: true }) };
    pairs.add(pair);
    for (const socket of [pair.client, pair.server])
      socket
        .on('error', () => {})
        .on('close', () => {
          pair.client.destroy();
          pair.server.destroy();
          pairs.delete(pair);
        });
    if (mode !== 'stall') flow(pair);
  }

  function cut(): void {
    for (const { client, server: target } of pairs) {
      client.resetAndDestroy();
      target.resetAndDestroy();
    }
    for (const client of refused) client.destroy();
  }

  async function stopListening(): Promise<void> {
    if (!server.listening) return;
    server.close();
    cut();
    await once(server, 'close');
  }

  defer(stopListening);
  return {
    port,
    async set(next) {
      mode = next;
      if (next === 'refuse') return stopListening();
      if (!server.listening) await listen(port);
      if (next === 'error') return cut();
      for (const pair of pairs) (next === 'stall' ? hold : flow)(pair);
    },
    cut,
  };
}

function flow({ client, server }: Pair): void {
  client.pipe(server);
  server.pipe(client);
}

function hold({ client, server }: Pair): void {
  client.unpipe(server);
  server.unpipe(client);
}
