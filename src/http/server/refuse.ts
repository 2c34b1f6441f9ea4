import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { STATUS_CODES } from '../modules.ts';
import type { Connections } from './connections.ts';
import type { Lingering } from './linger.ts';

/** A refusal before any app sees the request. Its body has the form of every other error. */
export interface Refusal {
  status: number;
  message: string;
  headers?: Record<string, string>;
}

export const TOO_MANY_CONNECTIONS: Refusal = {
  status: 503,
  message: 'too many connections are open at the moment; try again in a few seconds',
  headers: { 'Access-Control-Allow-Origin': '*', 'Retry-After': '10' },
};
export const UNKNOWN_EXPECTATION: Refusal = {
  status: 417,
  message: 'the only supported Expect is 100-continue; send that, or none',
};
export const NO_PROXY: Refusal = {
  status: 405,
  message: 'CONNECT is not supported: this server is not a proxy',
  headers: { Allow: 'GET, HEAD, OPTIONS' },
};
const UNREADABLE: Refusal = { status: 400, message: 'this request cannot be read; send valid HTTP/1.1' };

/** By the codes of Node's `clientError` event. */
const CLIENT_ERRORS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'the headers are too large; send at most 16 KB' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    message: 'the chunk extensions are too large; leave them out',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the request took too long to arrive; send it again' },
};

function present({ message, headers }: Refusal) {
  const body = JSON.stringify({ status: false, message });
  const allHeaders = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
    ...headers,
  };
  return { headers: allHeaders, body };
}

/** How a refused connection ends: `lingering` reads the rest of what its client sends. */
interface Refusing {
  lingering: Lingering;
  /** The client that the connection counts for. */
  client: string;
}

/** Sends a refusal and ends the connection; later while the client is still sending, so that it gets the body. */
export function refuse(response: ServerResponse, refusal: Refusal, { lingering, client }: Refusing): void {
  const { headers, body } = present(refusal);
  response.shouldKeepAlive = false;
  response.writeHead(refusal.status, headers);
  if (response.req.complete || response.req.method === 'HEAD') return void response.end(body);
  response.write(body);
  lingering.endAfterRequest(response, client);
}

/** Writes a refusal where there is no request object, ends the connection, and destroys it if the client does not end it. */
export function refuseSocket(socket: Socket, refusal: Refusal, { lingering, client }: Refusing): void {
  const { headers, body } = present(refusal);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`);
  lingering.destroyAfterRest(socket, client);
}

/** Returns a `clientError` listener. A response that has begun is finished before the refusal, or takes its place. */
export function refuseUnreadable(connections: Connections, lingering: Lingering) {
  const refused = new WeakSet<Socket>();
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    // A refused client may still send bytes, which cannot be parsed either.
    if (refused.has(socket)) return;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    const refusal = CLIENT_ERRORS[error.code ?? ''] ?? UNREADABLE;
    const client = connections.clientOf(socket);
    connections.refuse(socket, () => refuseSocket(socket, refusal, { lingering, client }));
  };
}
