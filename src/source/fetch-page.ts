import { Agent, fetch, ProxyAgent, type Response } from 'undici';
import { AppError, describeError } from '../domain/errors.ts';
import { createPace } from './pace.ts';

const MOST_REDIRECTS = 5;
/** A page has 43 KB. What is larger by two orders is none, whether by malice or by a decompression bomb. */
const MOST_BYTES = 5 * 1024 * 1024;

export interface FetchOptions {
  /** The longest that one page may take, redirects and body included. */
  timeoutMs: number;
  /** The least time between the starts of two requests. */
  delayMs: number;
  userAgent: string;
  proxy?: string | undefined;
  /** The hosts that a redirect may lead to. */
  hosts: ReadonlySet<string>;
}

/** What an earlier answer gave to ask "has it changed since?" with, as request headers. */
export type Validators = { 'if-none-match'?: string; 'if-modified-since'?: string };

export interface FetchedPage {
  /** The address that answered in the end. */
  url: string;
  status: number;
  /** The decompressed body as UTF-8; a byte that is none is U+FFFD. */
  html: string;
  validators: Validators;
  /** Whether the front of the site calls this answer a challenge. */
  challenged: boolean;
  retryAfterMs: number | undefined;
}

export interface PageFetcher {
  /**
   * Asks once. Every answer is a page, refusals included. Throws AppError `source-down` when none comes whole and
   * in time, `source-moved` when it is to be had from a host that was not configured.
   */
  fetchPage(url: string, signal: AbortSignal, validators?: Validators): Promise<FetchedPage>;
  close(): Promise<void>;
}

/** The only door out of the process: paced, and bounded in time, bytes and hops. */
export function createPageFetcher(options: FetchOptions): PageFetcher {
  const { timeoutMs } = options;
  const limits = { connect: { timeout: timeoutMs }, headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const dispatcher = options.proxy ? new ProxyAgent({ uri: options.proxy, ...limits }) : new Agent(limits);
  const pace = createPace(options.delayMs);

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
      if (error instanceof AppError) throw error;
      const reason = deadline.aborted ? `no whole answer within ${timeoutMs} ms` : describeError(error);
      throw new AppError('source-down', `${new URL(url).host}: ${reason}`, { cause: error });
    }
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
    for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
      const response = await fetch(url, { dispatcher, headers, redirect: 'manual', signal });
      const location = response.status >= 300 && response.headers.get('location');
      if (!location) return readPage(url, response);
      await response.body?.cancel();
      url = nextHop(location, url);
    }
    throw new AppError('source-down', `the source redirects more than ${MOST_REDIRECTS} times`);
  }

  function nextHop(location: string, from: string): string {
    const next = URL.parse(location, from);
    if (next && /^https?:$/u.test(next.protocol) && options.hosts.has(next.host)) return next.href;
    const where = next?.origin ?? location.slice(0, 100);
    throw new AppError(
      'source-moved',
      `the source redirects to ${where}; if that is its new home, add it to SOURCE_URLS`,
    );
  }

  return { fetchPage, close: () => dispatcher.destroy() };
}

async function readPage(url: string, response: Response): Promise<FetchedPage> {
  const { headers, status } = response;
  const etag = headers.get('etag');
  const lastModified = headers.get('last-modified');
  return {
    url,
    status,
    html: await readText(response),
    validators: {
      ...(etag && { 'if-none-match': etag }),
      ...(lastModified && { 'if-modified-since': lastModified }),
    },
    challenged: headers.get('cf-mitigated') === 'challenge',
    retryAfterMs: readRetryAfter(headers.get('retry-after')),
  };
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES)
      throw new AppError('source-down', `the page does not end within ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Seconds, or a date, → ms from now. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/u.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
