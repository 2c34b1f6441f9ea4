import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, describeError, errorCode } from '../domain/errors.ts';
import { excerpt } from '../domain/text.ts';
import { createHttpClient, type Response } from '../network/http-client.ts';
import { createGuardedLookup, isPrivateHost } from '../network/private-address.ts';
import { MAX_URL_LENGTH } from './address.ts';
import { type FetchedPage, readFetchedPage, type Validators } from './fetched-page.ts';
import { readPicture } from './read-picture.ts';
import { RedirectedError } from './source.ts';

const MAX_REDIRECTS = 5;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

export interface FetchOptions {
  /** The longest that one page or picture may take, redirects and body included. */
  timeoutMs: number;
  /** The least time between the starts of two requests. */
  delayMs: number;
  userAgent: string;
  proxy?: string | undefined;
  /**
   * The configured origins. A redirect may lead to any public host, and to a private address only if one of these
   * origins has a private address itself.
   */
  origins: readonly string[];
  /** Wall clock, ms since 1970. */
  now: () => number;
}

export interface PageFetcher {
  /**
   * Sends one request and follows its redirects. Resolves for every status, refusals included. Throws AppError
   * `source-down` when no complete answer comes in time, `source-moved` when a redirect leads to a refused address.
   */
  fetchPage(url: string, signal: AbortSignal, validators?: Validators): Promise<FetchedPage>;
  /**
   * Fetches the bytes of a picture, without looking at them. `page`: the page that shows it, for `Referer`. Throws as
   * `fetchPage` does, `source-blocked` when the host refuses, `source-changed` when it has no picture there, or a too
   * large one.
   */
  fetchPicture(url: string, page: string, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Creates the only HTTP client of the crawler: throttled, and limited in time, bytes and redirects. */
export function createPageFetcher(options: FetchOptions): PageFetcher {
  const { timeoutMs, proxy } = options;
  const throttle = createThrottle(options.delayMs);
  const isTrusted = createTrust(options.origins);
  const lookup = createGuardedLookup(isTrusted, (hostname) => {
    const reason = `the source leads to ${hostname}, which has a private address: not followed`;
    return new AppError('source-moved', reason);
  });
  const client = createHttpClient({ timeoutMs, proxy, lookup });

  async function fetchPage(
    url: string,
    signal: AbortSignal,
    validators: Validators = {},
  ): Promise<FetchedPage> {
    const headers = { accept: 'text/html', 'accept-encoding': 'br, gzip', ...validators };
    return request(url, headers, (at, response) => readFetchedPage(at, response, options.now()), signal);
  }

  async function fetchPicture(url: string, page: string, signal: AbortSignal): Promise<Uint8Array> {
    const at = resolveLink(url, page, 'leads');
    const headers = { accept: 'image/*', 'accept-encoding': 'identity', referer: page };
    return request(at, headers, (_, response) => readPicture(response, options.now()), signal);
  }

  /** Sends a request, follows its redirects, and reads the answer to its end. */
  async function request<Result>(
    url: string,
    headers: Record<string, string>,
    read: (url: string, response: Response) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    await throttle(signal);
    const deadline = AbortSignal.timeout(timeoutMs);
    const asked = [url];
    try {
      const { at, response } = await followRedirects(asked, headers, AbortSignal.any([signal, deadline]));
      return await read(at, response);
    } catch (error) {
      signal.throwIfAborted();
      const known = error instanceof Error && error.cause instanceof AppError ? error.cause : error;
      if (known instanceof AppError) throw known;
      // A tunnel that the proxy never opens would block every later request.
      if (proxy) client.renew();
      const reason = deadline.aborted
        ? `no complete answer within ${timeoutMs} ms`
        : describeFailure(error, proxy);
      const Failure = isSameHost(asked[0], asked.at(-1)) ? AppError : RedirectedError;
      throw new Failure('source-down', `${describeHosts(asked, proxy)}: ${reason}`, { cause: error });
    }
  }

  /** Adds to `asked` each address that it is redirected to. */
  async function followRedirects(
    asked: string[],
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<{ at: string; response: Response }> {
    let at = asked[0] as string;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      if (redirects > 0) await throttle(signal);
      const sent = { 'user-agent': options.userAgent, ...headers };
      const response = await client.fetch(at, { headers: sent, signal });
      const location = REDIRECT_STATUSES.has(response.status) && response.headers.get('location');
      if (!location) return { at, response };
      await response.body?.cancel();
      at = resolveLink(location, at, 'redirects');
      asked.push(at);
    }
    throw new AppError('source-down', `the source redirects more than ${MAX_REDIRECTS} times`);
  }

  /** Returns the address that a redirect or a page leads to. */
  function resolveLink(link: string, from: string, does: 'redirects' | 'leads'): string {
    const next = URL.parse(link, from);
    if (!next || !/^https?:$/u.test(next.protocol) || next.href.length > MAX_URL_LENGTH) {
      const target = `${excerpt(link, 100)}, which is not the address of a page`;
      throw new AppError('source-moved', `the source ${does} to ${target}`);
    }
    if (isTrusted(next.hostname) || !isPrivateHost(next.hostname)) return next.href;
    // A proxy may redirect to itself, and its address must not become public.
    const target = proxy ? 'a private address' : `${next.origin}, a private address`;
    throw new AppError('source-moved', `the source ${does} to ${target}: not followed`);
  }

  return { fetchPage, fetchPicture, close: client.close };
}

function isSameHost(url = '', other = ''): boolean {
  return new URL(url).host === new URL(other).host;
}

/** Names the host that did not answer, and the redirecting host, if any. A proxy may redirect to itself. */
function describeHosts(asked: readonly string[], proxy: string | undefined): string {
  // The first address is the requested one.
  const first = new URL(asked[0] as string);
  const last = new URL(asked.at(-1) as string);
  if (first.host === last.host) return first.host;
  const target = proxy && isPrivateHost(last.hostname) ? 'a private address' : last.origin;
  return `${first.host} redirects to ${target}, which does not answer`;
}

/** What failed, in plain words: the messages of the system repeat the host. */
const REASONS: Record<string, string> = {
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'DNS does not answer',
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
};

/** The message becomes public. Of a proxied request it has only the code: the error may contain the proxy's address. */
function describeFailure(error: unknown, proxy: string | undefined): string {
  const code = errorCode(error);
  if (proxy) return `no answer through the proxy (${code ?? 'unknown error'}); check SOURCE_PROXY`;
  const reason = REASONS[code ?? ''];
  return reason ? `${reason} (${code})` : describeError(error);
}

/** Returns a function that resolves when the next request may start, `delayMs` after the last: bursts are refused. */
function createThrottle(delayMs: number): (signal: AbortSignal) => Promise<void> {
  let nextStartMs = 0;
  return async (signal) => {
    const now = performance.now();
    const startMs = Math.max(now, nextStartMs);
    nextStartMs = startMs + delayMs;
    if (startMs > now) await sleep(startMs - now, undefined, { signal });
  };
}

/** Whether a host is trusted whatever its address: a configured one, or any where one of these has a private address. */
function createTrust(origins: readonly string[]): (hostname: string) => boolean {
  const configured = new Set(origins.map((origin) => new URL(origin).hostname));
  const allowsPrivate = [...configured].some(isPrivateHost);
  return (hostname) => allowsPrivate || configured.has(hostname);
}
