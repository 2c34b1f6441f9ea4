import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer } from './node-http.ts';
import { type ConnectionLimits, type Connections, trackConnections } from './server/connections.ts';
import { MIN_READ_RATE } from './server/read-rate.ts';
import {
  NO_PROXY,
  refuse,
  refuseSocket,
  refuseUnreadable,
  TOO_MANY_CONNECTIONS,
  UNKNOWN_EXPECTATION,
} from './server/refuse.ts';
import { validateRequest } from './server/validate-request.ts';

/** Longer than load balancers keep idle connections: otherwise they could send a request into a closed one. */
const KEEP_ALIVE_MS = 75_000;
/** Headers must come within a minute, by a check that is made every few seconds. */
const HEADERS_MS = 55_000;
const CHECK_EVERY_MS = 5_000;
const MAX_CONNECTIONS = 1_000;
const CLOSE_IDLE_EVERY_MS = 50;
/** How long, on a shared socket, an idle connection may send one more request. Its response has `Connection: close`. */
const FAREWELL_MS = 5_000;

/** `checkContinue` is emitted for a request with `Expect: 100-continue`. The same routes continue or refuse it. */
const REQUEST_EVENTS = ['request', 'checkContinue'] as const;

/** Where a server listens. */
interface ListenOptions {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** A listening socket that a supervisor has passed on, in place of an address. Other processes may accept on it. */
  fd?: number | undefined;
}

export interface ServerLimits extends Partial<Omit<ConnectionLimits, 'maxIdleMs'>> {
  /** How long a whole request may take to arrive; 0 for no limit. */
  requestMs?: number;
  headersMs?: number;
  keepAliveMs?: number;
}

export interface HttpServer {
  /** `http://ADDRESS:PORT`, with the port that was really bound. */
  address: string;
  port: number;
  /** Passes requests to a listener, including those that have come since the port was bound. */
  serve(listener: RequestListener): void;
  /**
   * Stops accepting, lets requests in flight finish for `graceMs`, then destroys them. Connections without a request in
   * flight end at once or, where the socket is shared, with their next response.
   */
  close(graceMs: number): Promise<void>;
}

/**
 * Binds an address; throws when it is taken. A public address may contain the port, so a server is opened before the app
 * that it serves is created.
 */
export async function openServer(
  listenOptions: ListenOptions,
  limits: ServerLimits = {},
): Promise<HttpServer> {
  const { headersMs = HEADERS_MS, keepAliveMs = KEEP_ALIVE_MS, checkEveryMs = CHECK_EVERY_MS } = limits;
  const server = createServer({
    keepAliveTimeout: keepAliveMs,
    // Without it, Node derives the value from requestTimeout, and has no limit where that is 0.
    headersTimeout: headersMs,
    connectionsCheckingInterval: checkEveryMs,
    // Node's own refusal of a missing Host has no body.
    requireHostHeader: false,
    ...(limits.requestMs === undefined ? {} : { requestTimeout: limits.requestMs }),
  });
  const connections = trackConnections(server, {
    max: MAX_CONNECTIONS,
    readRate: MIN_READ_RATE,
    onRefused: () => {},
    ...limits,
    checkEveryMs,
    // A pause, and then headers that take all their time to arrive.
    maxIdleMs: keepAliveMs + headersMs + 2 * checkEveryMs,
  });
  const early: [IncomingMessage, ServerResponse][] = [];
  let handle: RequestListener = (...exchange) => void early.push(exchange);
  for (const event of REQUEST_EVENTS) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) =>
      connections.take(response, () => {
        const refusal = connections.isRefused(request.socket)
          ? TOO_MANY_CONNECTIONS
          : validateRequest(request);
        if (refusal) refuse(response, refusal);
        else handle(request, response);
      }),
    );
  }
  refuseInvalid(server, connections);
  const bound = await listen(server, listenOptions);
  return {
    address: `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    port: bound.port,
    serve(listener) {
      handle = listener;
      for (const exchange of early) listener(...exchange);
    },
    close: (graceMs) =>
      closeServer(server, {
        connections,
        graceMs,
        isShared: listenOptions.fd !== undefined,
      }),
  };
}

/** Sends a response with a body to requests that Node would refuse without a body, or drop. */
function refuseInvalid(server: Server, connections: Connections): void {
  server.on('clientError', refuseUnreadable(connections));
  server.on('checkExpectation', (_request, response) => {
    connections.take(response, () => refuse(response, UNKNOWN_EXPECTATION));
  });
  // Node's types call it a Duplex because of TLS; without TLS it is the socket.
  server.on('connect', (_request, socket: Duplex) => {
    connections.refuse(socket as Socket, () => refuseSocket(socket as Socket, NO_PROXY));
  });
}

async function listen(server: Server, { host, port, fd }: ListenOptions): Promise<AddressInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(fd === undefined ? { host, port } : { fd }, resolve);
  await promise;
  server.off('error', reject);
  // A string only for a Unix socket, and null only before it listens.
  return server.address() as AddressInfo;
}

interface CloseOptions {
  connections: Connections;
  /** How long requests in flight may take to finish. */
  graceMs: number;
  /** Whether other processes accept on the same socket. */
  isShared: boolean;
}

/** Stops accepting, lets requests in flight finish, then destroys what is left. Resolves once all connections have ended. */
async function closeServer(server: Server, options: CloseOptions): Promise<void> {
  const { connections, graceMs, isShared } = options;
  for (const event of REQUEST_EVENTS) server.prependListener(event, endConnection);
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
