import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nextReadCredit, type ReadCredit, type ReadRateLimits } from './read-rate.ts';

export interface ConnectionLimits {
  /** Connections that are served at once. */
  max: number;
  /** Of those, how many may come from one client. Absent where all of them come from a proxy. */
  maxPerClient?: number | undefined;
  /** Maps an address to the client that it belongs to. */
  clientOf?: (address: string) => string;
  /** How long a connection may have no request in flight. */
  maxIdleMs: number;
  readRate: ReadRateLimits;
  checkEveryMs: number;
  /** Called after a check with the number of connections that were refused since the previous check, if there were any. */
  onRefused: (count: number) => void;
}

export interface Connections {
  /** Whether a connection is beyond the limits, so that its request gets a 503. */
  isRefused(socket: Socket): boolean;
  /**
   * Whether the response before the latest request ends the connection, so that the latest will not be answered and must
   * not be carried out (RFC 9112, 9.6).
   */
  isEnding(socket: Socket): boolean;
  /** Whether a response is being sent. Anything else that is written to the connection would become a part of it. */
  isAnswering(socket: Socket): boolean;
  /** Destroys every connection without a request in flight. A request whose headers are still arriving is not in flight. */
  closeIdle(): void;
}

/** How long a refused connection has for its one request and the response. */
const REFUSED_MS = 1_500;
/** One connection may be refused with a response for every four that are served; Node drops the others unanswered. */
const SERVED_PER_REFUSED = 4;
const MIN_REFUSED = 8;
const MAX_REFUSED = 256;

interface Connection {
  isRefused: boolean;
  /** The response to the latest request. Pipelined responses are sent in order: once it is sent, all are. */
  response: ServerResponse | undefined;
  /** Whether the latest request came before the response to the one before it was sent. */
  isPipelined: boolean;
  isEnding: boolean;
  idleMs: number;
  readCredit: ReadCredit | undefined;
}

/**
 * Tracks the connections of a server and enforces its limits: how many connections there are, how long one may be idle,
 * and how slowly one may read. Node itself limits the time for headers and between two requests; this also closes
 * connections that only send line ends, and those that do not read. Time is counted in checks, so that a suspended
 * machine closes nothing. `requestEvents`: the events by which the server emits requests.
 */
export function trackConnections(
  server: Server,
  requestEvents: readonly string[],
  limits: ConnectionLimits,
): Connections {
  const { max, maxPerClient = Number.POSITIVE_INFINITY, clientOf = String, checkEveryMs } = limits;
  const connections = new Map<Socket, Connection>();
  const servedByClient = new Map<string, number>();
  let served = 0;
  let refused = 0;
  const maxRefused = Math.max(MIN_REFUSED, Math.floor(max / SERVED_PER_REFUSED));
  server.maxConnections = max + Math.min(maxRefused, MAX_REFUSED);

  server.on('connection', (socket: Socket) => {
    const client = clientOf(socket.remoteAddress ?? '');
    const isRefused = served >= max || (servedByClient.get(client) ?? 0) >= maxPerClient;
    if (isRefused) refuse(socket);
    else countServed(client, 1);
    connections.set(socket, { ...NEW_CONNECTION, isRefused });
    socket.once('close', () => {
      connections.delete(socket);
      if (!isRefused) countServed(client, -1);
    });
  });
  server.on('drop', () => {
    refused += 1;
  });
  for (const event of requestEvents) server.on(event, noteRequest);
  const timer = setInterval(check, checkEveryMs).unref();
  server.once('close', () => clearInterval(timer));

  function refuse(socket: Socket): void {
    refused += 1;
    const destroyTimer = setTimeout(() => socket.destroy(), REFUSED_MS);
    socket.once('close', () => clearTimeout(destroyTimer));
  }

  function countServed(client: string, change: 1 | -1): void {
    served += change;
    const next = (servedByClient.get(client) ?? 0) + change;
    if (next === 0) servedByClient.delete(client);
    else servedByClient.set(client, next);
  }

  function noteRequest({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.isEnding ||= connection.response?.shouldKeepAlive === false;
    connection.isPipelined = hasRequestInFlight(connection);
    connection.response = response;
    connection.idleMs = 0;
  }

  function check(): void {
    for (const [socket, connection] of connections) {
      connection.idleMs = hasRequestInFlight(connection) ? 0 : connection.idleMs + checkEveryMs;
      connection.readCredit = nextReadCredit(limits.readRate, connection.readCredit, socket, checkEveryMs);
      const isTooSlow = connection.readCredit !== undefined && connection.readCredit.ms < 0;
      if (isTooSlow || connection.idleMs > limits.maxIdleMs) socket.destroy();
    }
    if (refused > 0) limits.onRefused(refused);
    refused = 0;
  }

  return {
    isRefused: (socket) => connections.get(socket)?.isRefused ?? false,
    isEnding: (socket) => connections.get(socket)?.isEnding ?? false,
    isAnswering(socket) {
      const connection = connections.get(socket);
      if (!connection || !hasRequestInFlight(connection)) return false;
      return connection.isPipelined || connection.response?.headersSent === true;
    },
    closeIdle() {
      for (const [socket, connection] of connections) if (!hasRequestInFlight(connection)) socket.destroy();
    },
  };
}

const NEW_CONNECTION: Omit<Connection, 'isRefused'> = {
  response: undefined,
  isPipelined: false,
  isEnding: false,
  idleMs: 0,
  readCredit: undefined,
};

function hasRequestInFlight({ response }: Connection): boolean {
  return response !== undefined && !response.writableFinished;
}
