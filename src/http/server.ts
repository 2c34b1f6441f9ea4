import { createServer, type RequestListener, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** How long an idle connection is kept: longer than the balancers in front keep theirs, or they lose requests. */
const KEEP_ALIVE_MS = 75_000;

const CLOSE_IDLE_EVERY_MS = 50;

export interface HttpServer {
  /** `http://ADDRESS:PORT`, with the port that was really bound. */
  address: string;
  port: number;
  /** Answers requests from now on. */
  serve(listener: RequestListener): void;
  /** Stops accepting, lets what is in flight finish for `graceMs`, then cuts it off. */
  close(graceMs: number): Promise<void>;
}

/** Binds an address; throws when it is taken. Public addresses name the port, so it comes before what it serves. */
export async function openServer(
  host: string,
  port: number,
  options: ServerOptions = {},
): Promise<HttpServer> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, ...options });
  server.on('clientError', answerClientError);
  await listen(server, host, port);
  const bound = server.address() as AddressInfo;
  return {
    address: `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    port: bound.port,
    serve(listener) {
      server.on('request', listener);
      // Whoever asks before it sends is answered by the same routes, which let it go on or refuse.
      server.on('checkContinue', listener);
    },
    close: (graceMs) => close(server, graceMs),
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host, port }, resolve);
  await promise;
  server.off('error', reject);
}

async function close(server: Server, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  server.close(() => resolve());
  await promise;
  clearTimeout(deadline);
  clearInterval(idle);
}

/** What is not HTTP, or too much of it, is answered in the same shape as every other error. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = CLIENT_ERRORS[error.code ?? ''] ?? 400;
  const reason = STATUS_CODES[status];
  const body = JSON.stringify({ status: false, message: `${reason}: this request cannot be read` });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const CLIENT_ERRORS: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
