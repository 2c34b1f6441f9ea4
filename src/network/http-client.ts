import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher, fetch, ProxyAgent, type RequestInit, type Response } from 'undici';

export type { Response };

interface HttpClientOptions {
  /** The time limit of a connection, of the headers, and of each wait for the body. */
  timeoutMs: number;
  /** An HTTP proxy, which then resolves the names. */
  proxy?: string | undefined;
  /** Resolves the names of hosts; Node's own lookup by default. Not used with a proxy. */
  lookup?: LookupFunction;
}

type HttpRequest = Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal'>;

/** The connections of one feature to other servers. */
export interface HttpClient {
  /** Sends one request. Returns redirects as they are, without following them. */
  fetch(url: string, request: HttpRequest): Promise<Response>;
  /** Opens new connections from now on. Those in use end with their requests. */
  renew(): void;
  /** Closes all connections, including those in use. */
  close(): Promise<void>;
}

/** Creates a client of HTTP/1.1 with connections of its own, which are kept open for later requests. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const retired = new Set<Dispatcher>();
  let dispatcher = createDispatcher(options);

  return {
    fetch: (url, request) => fetch(url, { ...request, dispatcher, redirect: 'manual' }),
    renew() {
      const old = dispatcher;
      retired.add(old);
      old.close().then(
        () => retired.delete(old),
        () => {},
      );
      dispatcher = createDispatcher(options);
    },
    async close() {
      await Promise.all([dispatcher, ...retired].map((one) => one.destroy()));
    },
  };
}

function createDispatcher({ proxy, timeoutMs, lookup }: HttpClientOptions): Dispatcher {
  const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  return proxy
    ? new ProxyAgent({ uri: proxy, connect: { timeout: timeoutMs }, ...limits })
    : new Agent({ connect: { timeout: timeoutMs, ...(lookup && { lookup }) }, ...limits });
}

/** Parses `Retry-After`, in seconds or as an HTTP date → ms from `now` (ms since 1970); undefined for anything else. */
export function parseRetryAfter(value: string, now: number): number | undefined {
  if (/^\d{1,9}$/u.test(value)) return Number(value) * 1_000;
  const at = / GMT$/u.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Reads bytes up to a length, and leaves the rest of longer ones, whose beginning is returned. */
export async function readAtMost(
  maxBytes: number,
  chunks: AsyncIterable<Uint8Array> | null,
): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks ?? []) {
    length += chunk.byteLength;
    if (length > maxBytes) break;
    read.push(chunk);
  }
  return { bytes: Buffer.concat(read), isWhole: length <= maxBytes };
}
