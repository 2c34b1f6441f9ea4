import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as openRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';

const TIMEOUT_MS = 60_000;
/** In ms; the server closes idle connections after 75 s. */
const IDLE_MS = 30_000;

export interface Sending {
  method?: string;
  path?: string;
  /** Several values are sent in a header each. */
  headers?: Record<string, string | string[]>;
  body?: Buffer;
  /** Whether the body is sent in chunks, without a Content-Length. */
  isChunked?: boolean;
  /** The size of these chunks; by default the body is one. */
  chunkBytes?: number | undefined;
  /** What keeps connections; by default each request has one of its own. */
  agent?: Agent | false;
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test states the type that it expects
  json(): any;
}

/** Sends a request without changing its path or headers. */
export async function send(origin: string, sending: Sending): Promise<Answer> {
  return readAnswer(await sendUnread(origin, sending));
}

/** Resolves when the headers of the response have arrived; its body is not read. */
export async function sendUnread(origin: string, sending: Sending): Promise<IncomingMessage> {
  const { method = 'GET', path = '/', body, chunkBytes, agent = false, signal } = sending;
  const { isChunked = chunkBytes !== undefined } = sending;
  const headers = { ...(isChunked ? { 'Transfer-Encoding': 'chunked' } : {}), ...sending.headers };
  const request = openRequest(origin, { path, method, headers, agent, ...(signal && { signal }) });
  // A response may arrive before the whole body is sent; errors after that are ignored.
  request.on('error', () => {});
  for (const chunk of chunkBytes ? cut(body, chunkBytes) : []) request.write(chunk);
  request.end(chunkBytes ? undefined : body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

function* cut(bytes: Buffer = Buffer.alloc(0), pieceBytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

export async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const body = await buffer(response);
  const { statusCode: status = 0, headers } = response;
  return {
    status,
    headers,
    body,
    get text() {
      return body.toString();
    },
    json: () => JSON.parse(body.toString()),
  };
}

/**
 * Sends requests to an origin, over connections that are kept or over a new one for each. A kept connection that the
 * server closed meanwhile is an error: nothing is retried.
 */
export function createClient(origin: string, keeps = true) {
  const agent = keeps && new Agent({ keepAlive: true, maxFreeSockets: 4, timeout: IDLE_MS });
  return async (sending: Sending): Promise<Answer & { tookMs: number }> => {
    const startedAt = performance.now();
    const answer = await send(origin, { ...sending, agent, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return Object.assign(answer, { tookMs: performance.now() - startedAt });
  };
}
