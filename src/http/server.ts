import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createServer } from './modules.ts';
import { type ConnectionLimits, type Connections, trackConnections } from './server/connections.ts';
import { CountedRequest } from './server/counted-request.ts';
import { createLingering, type Lingering } from './server/linger.ts';
import { MIN_RATE } from './server/min-rate.ts';
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

const BODILESS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

const SHORT_TURN_MS = 0.1;
const MAX_TURNS = 200;

/** How a server stops. From its beginning, every response whose headers are sent ends its connection. */
export interface Shutdown {
  /** How long connections are still accepted, while health checks take the process out. */
  delayMs: number;
  /** How long an idle connection may send one more request after that. */
  idleMs: number;
  /** How long after the delay requests in flight may take to finish. */
  graceMs: number;
}

export const AT_ONCE: Shutdown = { delayMs: 0, idleMs: 0, graceMs: 0 };

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
  /** Counts the bodies that are read after a refusal, together with an app that refuses some itself. */
  lingering?: Lingering;
}

export interface HttpServer {
  /** `http://ADDRESS:PORT`, with the port that was really bound. */
  address: string;
  port: number;
  /** Stops accepting and lets requests in flight finish; by default it destroys all connections at once. */
  close(shutdown?: Shutdown): Promise<void>;
}

/** Binds an address, and passes requests to a listener; throws when the address is taken. */
export async function openServer(
  listenOptions: ListenOptions,
  handle: RequestListener,
  limits: ServerLimits = {},
): Promise<HttpServer> {
  const { headersMs = HEADERS_MS, keepAliveMs = KEEP_ALIVE_MS, checkEveryMs = CHECK_EVERY_MS } = limits;
  const server: Server<typeof CountedRequest> = createServer({
    IncomingMessage: CountedRequest,
    keepAliveTimeout: keepAliveMs,
    // Without it, Node derives the value from requestTimeout, and has no limit where that is 0.
    headersTimeout: headersMs,
    connectionsCheckingInterval: checkEveryMs,
    // Node's own refusal of a missing Host has no body.
    requireHostHeader: false,
    ...(limits.requestMs === undefined ? {} : { requestTimeout: limits.requestMs }),
  });
  // A client may close its side once it has sent its request: without this, Node would close the other one before the
  // response (docs/decisions/0053-half-closed-connections-are-answered.md).
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = trackConnections(server, {
    max: MAX_CONNECTIONS,
    minRate: MIN_RATE,
    onRefused: () => {},
    onClosed: () => {},
    ...limits,
    checkEveryMs,
    // A pause, and then headers that take all their time to arrive.
    maxIdleMs: keepAliveMs + headersMs + 2 * checkEveryMs,
  });
  const { lingering = createLingering() } = limits;
  const refusing = (socket: Socket) => ({ lingering, client: connections.clientOf(socket) });
  // `checkContinue` is emitted for a request with `Expect: 100-continue`. The same routes continue or refuse it.
  for (const event of ['request', 'checkContinue']) {
    server.on(event, (request: CountedRequest, response: ServerResponse<CountedRequest>) =>
      connections.take(response, () => {
        // No route reads these bodies. Node drops the rest of an unread one without counting its chunks.
        if (BODILESS.has(request.method)) request.resume();
        const refusal = connections.isRefused(request.socket)
          ? TOO_MANY_CONNECTIONS
          : validateRequest(request);
        if (refusal) refuse(response, refusal, refusing(request.socket));
        else handle(request, response);
      }),
    );
  }
  // Node would refuse these without a body, or drop them.
  server.on('clientError', refuseUnreadable(connections, lingering));
  server.on('checkExpectation', (request: CountedRequest, response: ServerResponse<CountedRequest>) => {
    connections.take(response, () => refuse(response, UNKNOWN_EXPECTATION, refusing(request.socket)));
  });
  // Node's types call it a Duplex because of TLS; without TLS it is the socket.
  server.on('connect', (_request, duplex: Duplex) => {
    const socket = duplex as Socket;
    connections.refuse(socket, () => refuseSocket(socket, NO_PROXY, refusing(socket)));
  });
  const bound = await listen(server, listenOptions);
  return {
    address: `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    port: bound.port,
    close: (shutdown = AT_ONCE) => closeServer(server, connections, shutdown),
  };
}

async function listen(server: NetServer, { host, port, fd }: ListenOptions): Promise<AddressInfo> {
  // Rejects when the server emits an error instead.
  await once(server.listen(fd === undefined ? { host, port } : { fd }), 'listening');
  // A string only for a Unix socket, and null only before it listens.
  return server.address() as AddressInfo;
}

/**
 * Resolves right after a short turn of the event loop: hardly any connection can have come since it accepted those in the
 * queue of the kernel, and closing the port resets the ones in there.
 */
async function quietTurn(): Promise<void> {
  for (let turns = 0; turns < MAX_TURNS; turns += 1) {
    const startedAt = performance.now();
    await nextTurn();
    if (performance.now() - startedAt < SHORT_TURN_MS) return;
  }
}

/** Resolves once all connections have ended. */
async function closeServer(server: NetServer, connections: Connections, shutdown: Shutdown): Promise<void> {
  connections.endWithNextResponse();
  await sleep(shutdown.delayMs);
  await quietTurn();
  const closed = Promise.withResolvers<unknown>();
  // `http.Server.close` would destroy idle connections, on which a request may be on its way.
  NetServer.prototype.close.call(server, closed.resolve);
  const deadline = setTimeout(connections.closeAll, shutdown.graceMs);
  connections.limitIdle(shutdown.idleMs);
  await closed.promise;
  clearTimeout(deadline);
}
