import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';

/** How long a client that is still sending is read from after it has been refused. */
const LINGER_MS = 1_500;

const CLIENT_ERRORS: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'the headers are too large; send at most 16 KB' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    message: 'the chunk extensions are too large; leave them out',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the request took too long to arrive; send it again' },
};
const UNREADABLE = { status: 400, message: 'this request cannot be read; send valid HTTP/1.1' };

/** Refusals that come before any app has a say, in the same shape as every other error. */
function presentRefusal(status: number, message: string) {
  const body = JSON.stringify({ status: false, message });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
    ...(status === 405 ? { Allow: 'GET, HEAD, OPTIONS' } : {}),
  };
  return { status, headers, body };
}

/** Ends the connection, a little later where the client is still sending, so that it sees the answer. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  const { headers, body } = presentRefusal(status, message);
  response.writeHead(status, headers);
  if (response.req.complete || response.req.method === 'HEAD') return void response.end(body);
  response.write(body);
  const timer = setTimeout(() => response.end(), LINGER_MS).unref();
  response.req.resume().once('end', () => {
    clearTimeout(timer);
    response.end();
  });
}

/** Writes the refusal itself, for what never became a request; then ends the connection, and soon destroys it. */
export function refuseSocket(socket: Socket, status: number, message: string): void {
  const { headers, body } = presentRefusal(status, message);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Answers what is not HTTP, or too much of it, unless another answer is being sent over the same connection. */
export function refuseUnreadable({ isAnswering }: Connections) {
  const refused = new WeakSet<Socket>();
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    // What still comes from a client that has been refused cannot be read either.
    if (refused.has(socket)) return;
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    const { status, message } = CLIENT_ERRORS[error.code ?? ''] ?? UNREADABLE;
    refuseSocket(socket, status, message);
  };
}

/** A host and perhaps a port; RFC 3986 lets a name be empty. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/iu;

/** Whether a request has the one valid Host that RFC 9112, section 3.2, requires; HTTP/1.0 may do without. */
export function hasOneHost({ rawHeaders, headers: { host }, httpVersion }: IncomingMessage): boolean {
  if (host === undefined) return httpVersion === '1.0';
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 && HOST.test(host);
}
