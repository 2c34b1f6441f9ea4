import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Defer } from './defer.ts';

/** Starts a server on a free port of the loopback. Resolves with its origin. */
export async function openHttpServer(defer: Defer, handle: RequestListener): Promise<string> {
  // On a busy machine, an idle connection would be closed while a request is on its way.
  const server = createServer({ keepAliveTimeout: 0 }, handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
