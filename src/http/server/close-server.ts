import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Connections } from './connections.ts';

const CLOSE_IDLE_EVERY_MS = 50;
/** How long, on a shared socket, an idle connection may send one more request. Its response has `Connection: close`. */
const FAREWELL_MS = 5_000;

interface CloseOptions {
  connections: Connections;
  /** The events by which the server emits requests. */
  requestEvents: readonly string[];
  /** How long requests in flight may take to finish. */
  graceMs: number;
  /** Whether other processes accept on the same socket. */
  isShared: boolean;
}

/** Stops accepting, lets requests in flight finish, then destroys what is left. Resolves once all connections have ended. */
export async function closeServer(server: Server, options: CloseOptions): Promise<void> {
  const { connections, requestEvents, graceMs, isShared } = options;
  for (const event of requestEvents) server.prependListener(event, endConnection);
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  const startedAt = performance.now();
  const idleTimer = setInterval(() => {
    if (!isShared || performance.now() - startedAt >= FAREWELL_MS) connections.closeIdle();
  }, CLOSE_IDLE_EVERY_MS);
  const closed = Promise.withResolvers<unknown>();
  // `http.Server.close` would destroy idle connections, on which a request may be on its way.
  if (isShared) NetServer.prototype.close.call(server, closed.resolve);
  else server.close(closed.resolve);
  if (!isShared) connections.closeIdle();
  await closed.promise;
  clearTimeout(deadline);
  clearInterval(idleTimer);
}

function endConnection(_request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
}
