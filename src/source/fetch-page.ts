import { isUtf8 } from 'node:buffer';
import { Agent, type Dispatcher, fetch, ProxyAgent, type Response } from 'undici';
import { AppError, describeError } from '../domain/errors.ts';
import { excerpt } from '../domain/text.ts';
import { guardLookup, isPrivateHost } from './private-address.ts';
import { createThrottle } from './throttle.ts';

const MAX_REDIRECTS = 5;
/** A page has 43 KB. What is larger by two orders is none, whether by malice or by a decompression bomb. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_ADDRESS = 2_048;

export interface FetchOptions {
  /** The longest that one page may take, redirects and body included. */
  timeoutMs: number;
  /** The least time between the starts of two requests. */
  delayMs: number;
  userAgent: string;
  proxy?: string | undefined;
  /**
   * The origins that are configured. A redirect may lead anywhere else too, but never from them to a private
   * address, unless one of them has one itself.
   */
  origins: readonly string[];
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** What an earlier answer gave to ask "has it changed since?" with, as request headers. */
export type Validators = { 'if-none-match'?: string; 'if-modified-since'?: string };

export interface FetchedPage {
  /** The address that answered in the end. */
  url: string;
  status: number;
  /** The decompressed body as UTF-8. */
  html: string;
  /** Whether it was UTF-8: bytes that are none are U+FFFD in `html`. */
  isUtf8: boolean;
  validators: Validators;
  /** Whether the front of the site calls this answer a challenge. */
  challenged: boolean;
  retryAfterMs: number | undefined;
}

export interface PageFetcher {
  /**
   * Asks once. Every answer is a page, refusals included. Throws AppError `source-down` when none comes whole and
   * in time, `source-moved` when it leads where it must not.
   */
  fetchPage(url: string, signal: AbortSignal, validators?: Validators): Promise<FetchedPage>;
  close(): Promise<void>;
}

/** The only door out of the process: paced, and bounded in time, bytes and hops. */
export function createPageFetcher(options: FetchOptions): PageFetcher {
  const { timeoutMs } = options;
  const pace = createThrottle(options.delayMs);
  const trust = createTrust(options.origins);
  let dispatcher = openDispatcher(options, trust);
  const retired = new Set<Dispatcher>();

  async function fetchPage(
    url: string,
    signal: AbortSignal,
    validators: Validators = {},
  ): Promise<FetchedPage> {
    await pace(signal);
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      return await followRedirects(url, AbortSignal.any([signal, deadline]), validators);
    } catch (error) {
      signal.throwIfAborted();
      const told = error instanceof Error && error.cause instanceof AppError ? error.cause : error;
      if (told instanceof AppError) throw told;
      if (options.proxy) reopen();
      const reason = deadline.aborted ? `no whole answer within ${timeoutMs} ms` : describeError(error);
      throw new AppError('source-down', `${new URL(url).host}: ${reason}`, { cause: error });
    }
  }

  /** A tunnel that a proxy never opens would keep all that come after it waiting, so they get another one. */
  function reopen(): void {
    const old = dispatcher;
    retired.add(old);
    old.close().then(
      () => retired.delete(old),
      () => {},
    );
    dispatcher = openDispatcher(options, trust);
  }

  async function followRedirects(
    start: string,
    signal: AbortSignal,
    validators: Validators,
  ): Promise<FetchedPage> {
    const headers = {
      'user-agent': options.userAgent,
      accept: 'text/html',
      'accept-encoding': 'br, gzip',
      ...validators,
    };
    let url = start;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      if (hops > 0) await pace(signal);
      const response = await fetch(url, { dispatcher, headers, redirect: 'manual', signal });
      const location = REDIRECTS.has(response.status) && response.headers.get('location');
      if (!location) return readPage(url, response, options.now());
      await response.body?.cancel();
      url = nextHop(location, url);
    }
    throw new AppError('source-down', `the source redirects more than ${MAX_REDIRECTS} times`);
  }

  function nextHop(location: string, from: string): string {
    const next = URL.parse(location, from);
    if (!next || !/^https?:$/u.test(next.protocol) || next.href.length > MAX_ADDRESS) {
      throw new AppError(
        'source-moved',
        `the source redirects to ${excerpt(location, 100)}, which is no page`,
      );
    }
    if (!trust.mayConnect(next.hostname)) {
      throw new AppError(
        'source-moved',
        `the source redirects to ${next.origin}, a private address: not followed`,
      );
    }
    return next.href;
  }

  return {
    fetchPage,
    async close() {
      await Promise.all([dispatcher, ...retired].map((one) => one.destroy()));
    },
  };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Which hosts may be connected to: any of the internet's, and those of the operator's own that are configured. */
function createTrust(origins: readonly string[]) {
  const configured = new Set(origins.map((origin) => new URL(origin).hostname));
  const allowsPrivate = [...configured].some(isPrivateHost);
  const isTrusted = (hostname: string) => allowsPrivate || configured.has(hostname);
  return { isTrusted, mayConnect: (hostname: string) => isTrusted(hostname) || !isPrivateHost(hostname) };
}

function openDispatcher(
  { proxy, timeoutMs }: FetchOptions,
  { isTrusted }: ReturnType<typeof createTrust>,
): Dispatcher {
  const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const connect = { timeout: timeoutMs, lookup: guardLookup(isTrusted) };
  return proxy
    ? new ProxyAgent({ uri: proxy, connect: { timeout: timeoutMs }, ...limits })
    : new Agent({ connect, ...limits });
}

async function readPage(url: string, response: Response, now: number): Promise<FetchedPage> {
  const { headers, status } = response;
  const etag = headers.get('etag');
  const lastModified = headers.get('last-modified');
  return {
    url,
    status,
    ...(await readText(response)),
    validators: {
      ...(etag && { 'if-none-match': etag }),
      ...(lastModified && { 'if-modified-since': lastModified }),
    },
    challenged: headers.get('cf-mitigated') === 'challenge',
    retryAfterMs: readRetryAfter(headers.get('retry-after') ?? '', now),
  };
}

async function readText(response: Response): Promise<{ html: string; isUtf8: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_BYTES) {
      throw new AppError('source-down', `the page does not end within ${MAX_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  return { html: new TextDecoder().decode(bytes), isUtf8: isUtf8(bytes) };
}

/** Seconds, or a date, → ms from now. */
function readRetryAfter(value: string, now: number): number | undefined {
  if (/^\d{1,9}$/u.test(value)) return Number(value) * 1_000;
  const at = / GMT$/u.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
