import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionBounds {
  /** Connections that are served at once. */
  max: number;
  /** Of those, how many may come from one client. Absent where all come from a proxy. */
  maxPerClient?: number | undefined;
  /** What the addresses of one client have in common. */
  clientOf?: (address: string) => string;
  /** How long a connection may be without a request under way, or not take what is written to it. */
  maxIdleMs: number;
  checkEveryMs: number;
}

/** How long a refused connection has for its one request and the answer. */
const REFUSED_MS = 1_500;
/** For so many served connections one may be refused with an answer at the same time, and the next without. */
const SERVED_FOR_REFUSED = 4;
const MIN_REFUSED = 8;
const MAX_REFUSED = 256;

interface Connection {
  client: string;
  /** The answer to its last request; undefined once that is known to be over. */
  response: ServerResponse | undefined;
  /** What it had sent at the last check. */
  flushedBytes: number;
  idleMs: number;
}

/**
 * Bounds the connections of a server: how many there are, and how long one may do nothing. Node bounds the time for
 * headers and between two requests; this also ends connections that only send line ends, or do not read. Returns a
 * listener that answers 503 on the connections beyond the bound, and lets `listener` answer on the others.
 */
export function boundConnections(server: Server, bounds: ConnectionBounds) {
  const connections = new Map<Socket, Connection>();
  const perClient = new Map<string, number>();
  const { max, maxPerClient = Number.POSITIVE_INFINITY, clientOf = String, maxIdleMs, checkEveryMs } = bounds;
  const refused = Math.max(MIN_REFUSED, Math.floor(max / SERVED_FOR_REFUSED));
  server.maxConnections = max + Math.min(refused, MAX_REFUSED);

  function accept(socket: Socket): void {
    const client = clientOf(socket.remoteAddress ?? '');
    const fromClient = perClient.get(client) ?? 0;
    if (connections.size >= max || fromClient >= maxPerClient) {
      const timer = setTimeout(() => socket.destroy(), REFUSED_MS);
      socket.once('close', () => clearTimeout(timer));
      return;
    }
    perClient.set(client, fromClient + 1);
    connections.set(socket, { client, response: undefined, flushedBytes: 0, idleMs: 0 });
    socket.once('close', () => forget(socket, client));
  }

  function forget(socket: Socket, client: string): void {
    connections.delete(socket);
    const left = (perClient.get(client) ?? 1) - 1;
    if (left === 0) perClient.delete(client);
    else perClient.set(client, left);
  }

  function check(): void {
    for (const [socket, connection] of connections) {
      connection.idleMs = isIdle(socket, connection) ? connection.idleMs + checkEveryMs : 0;
      if (connection.idleMs > maxIdleMs) socket.destroy();
    }
  }

  server.on('connection', accept);
  const timer = setInterval(check, checkEveryMs).unref();
  server.once('close', () => clearInterval(timer));

  return (listener: RequestListener): RequestListener =>
    (request, response) => {
      const connection = connections.get(request.socket);
      if (!connection) return refuse(request, response);
      connection.response = response;
      listener(request, response);
    };
}

/** Between two checks: no request under way, or one whose answer its client does not take. */
function isIdle(socket: Socket, connection: Connection): boolean {
  if (connection.response?.writableFinished || connection.response?.destroyed) {
    connection.response = undefined;
    return false;
  }
  const flushedBytes = socket.bytesWritten - socket.writableLength;
  const isStuck = socket.writableLength > 0 && flushedBytes === connection.flushedBytes;
  connection.flushedBytes = flushedBytes;
  return connection.response === undefined || isStuck;
}

const BODY = JSON.stringify({
  status: false,
  message: 'too many connections are open at the moment; try again in a few seconds',
});

/** Ends the connection once the request has been read, or else with the time that a refused one has. */
function refuse(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(503, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(BODY),
    'Cache-Control': 'no-store',
    'Access-Control-Allow-Origin': '*',
    'Retry-After': '10',
    Connection: 'close',
  });
  if (request.method !== 'HEAD') response.write(BODY);
  request.once('end', () => response.end()).resume();
}
