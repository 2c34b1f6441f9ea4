import { Agent, type IncomingHttpHeaders, request as openRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';

const TIMEOUT_MS = 60_000;

interface Asking {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: Buffer;
}

interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  tookMs: number;
}

/** In ms; the server closes idle connections after 75 s. */
const IDLE_MS = 30_000;

/**
 * Sends requests to an origin, over connections that are kept or over a new one for each. A kept connection that the
 * server closed meanwhile is an error: nothing is retried.
 */
export function createClient(origin: string, keeps = true) {
  const agent = keeps && new Agent({ keepAlive: true, maxFreeSockets: 4, timeout: IDLE_MS });

  return async function ask({ method = 'GET', path, headers = {}, body }: Asking): Promise<Answered> {
    const startedAt = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    const length = body ? { 'Content-Length': String(body.length) } : {};
    const request = openRequest(origin, { method, path, agent, headers: { ...length, ...headers } });
    request.setTimeout(TIMEOUT_MS, () =>
      request.destroy(Object.assign(new Error('no answer'), { code: 'no answer' })),
    );
    request.once('error', reject);
    request.once('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      const answered = (bytes: Buffer) =>
        resolve({ status, headers, body: bytes, tookMs: performance.now() - startedAt });
      buffer(response).then(answered, reject);
    });
    request.end(body);
    return promise;
  };
}

export type Ask = ReturnType<typeof createClient>;
