import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { boundConnections, type ConnectionBounds } from './bound-connections.ts';
import { type Connections, trackConnections } from './connections.ts';
import { drainListener } from './drain-listener.ts';
import { hasOneHost, refuse, refuseSocket, refuseUnreadable } from './refuse.ts';
import { createReaderWatch, type ReaderLimits, SLOWEST_READER } from './slow-readers.ts';

/** How long an idle connection is kept: longer than the balancers in front keep theirs, or they lose requests. */
const KEEP_ALIVE_MS = 75_000;

/** Headers must come within a minute, by a check that is made every few seconds. */
const HEADERS_MS = 55_000;
const CHECK_EVERY_MS = 5_000;
/** Enough for any process. */
const MAX_CONNECTIONS = 1_000;

/** Whoever asks before it sends its body is answered by the same routes, which let it go on or refuse. */
const ASKED = ['request', 'checkContinue'] as const;

const CLOSE_IDLE_EVERY_MS = 50;

/** How long an idle connection may ask once more, to be told in the answer that it ends, where the port is shared. */
const FAREWELL_MS = 5_000;

export interface Place {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Whether other processes may bind the same port, so that one can be restarted while the others accept. */
  reusePort: boolean;
}

export interface HttpServer {
  /** `http://ADDRESS:PORT`, with the port that was really bound. */
  address: string;
  port: number;
  /** Answers requests from now on, and those that have come since the port was bound. */
  serve(listener: RequestListener): void;
  /**
   * Stops accepting, lets what is in flight finish for `graceMs`, then cuts it off. Connections without a request in
   * flight end at once or, where the port is shared, with their next answer.
   */
  close(graceMs: number): Promise<void>;
}

export interface ServerLimits extends Partial<Pick<ConnectionBounds, 'max' | 'maxPerClient' | 'clientOf'>> {
  /** How long a whole request may take to come; 0 for as long as it takes. */
  requestMs?: number;
  headersMs?: number;
  keepAliveMs?: number;
  checkEveryMs?: number;
  /** Below which a client that reads an answer is cut off. */
  readers?: ReaderLimits;
}

/** Binds an address; throws when it is taken. Public addresses name the port, so it comes before what it serves. */
export async function openServer(place: Place, limits: ServerLimits = {}): Promise<HttpServer> {
  const { headersMs = HEADERS_MS, keepAliveMs = KEEP_ALIVE_MS, checkEveryMs = CHECK_EVERY_MS } = limits;
  const server = createServer({
    keepAliveTimeout: keepAliveMs,
    // Node derives it from requestTimeout otherwise, and has none where that is 0.
    headersTimeout: headersMs,
    connectionsCheckingInterval: checkEveryMs,
    // Node's own refusal of a missing Host has no body.
    requireHostHeader: false,
    ...(limits.requestMs === undefined ? {} : { requestTimeout: limits.requestMs }),
  });
  // A pause, and then a request that takes all its time to come.
  const maxIdleMs = keepAliveMs + headersMs + 2 * checkEveryMs;
  const bounded = boundConnections(server, { max: MAX_CONNECTIONS, ...limits, maxIdleMs, checkEveryMs });
  const connections = trackConnections(server, ASKED);
  refuseImproper(server, connections);
  const checkReaders = createReaderWatch(limits.readers ?? SLOWEST_READER, () => performance.now());
  const early: [IncomingMessage, ServerResponse][] = [];
  const hold = (...exchange: [IncomingMessage, ServerResponse]) => void early.push(exchange);
  for (const event of ASKED) server.on(event, hold);
  await listen(server, place);
  const watch = setInterval(() => checkReaders(connections.sockets()), checkEveryMs);
  const bound = server.address() as AddressInfo;
  return {
    address: `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    port: bound.port,
    serve(listener) {
      const answer = bounded(withHost(listener));
      for (const event of ASKED) server.off(event, hold).on(event, answer);
      for (const exchange of early) answer(...exchange);
    },
    async close(graceMs) {
      await close(server, connections, graceMs, place.reusePort);
      clearInterval(watch);
    },
  };
}

/** Answers what Node would refuse without a body, or without a word. */
function refuseImproper(server: Server, connections: Connections): void {
  server.on('clientError', refuseUnreadable(connections));
  server.on('checkExpectation', (_request, response) => {
    refuse(response, 417, 'the only Expect that is met here is 100-continue; leave it out');
  });
  server.on('connect', (_request, socket) => {
    refuseSocket(socket as Socket, 405, 'this is no proxy: CONNECT is not possible here');
  });
}

function withHost(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (hasOneHost(request)) return listener(request, response);
    refuse(response, 400, 'send exactly one Host header, with a host and perhaps a port');
  };
}

async function listen(server: Server, { host, port, reusePort }: Place): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host, port, reusePort }, resolve);
  await promise;
  server.off('error', reject);
}

async function close(
  server: Server,
  connections: Connections,
  graceMs: number,
  isShared: boolean,
): Promise<void> {
  for (const event of ASKED) server.prependListener(event, endWithAnswer);
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  const startedAt = performance.now();
  const idle = setInterval(() => {
    const isOver = !isShared || performance.now() - startedAt >= FAREWELL_MS;
    if (isOver) connections.closeIdle();
  }, CLOSE_IDLE_EVERY_MS);
  const closed = isShared ? drainListener(server) : new Promise((resolve) => server.close(resolve));
  if (!isShared) connections.closeIdle();
  await closed;
  clearTimeout(deadline);
  clearInterval(idle);
}

function endWithAnswer(_request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
}
