import { isUtf8 } from 'node:buffer';
import { AppError } from '../domain/errors.ts';
import { MINUTE_MS } from '../domain/units.ts';
import { parseRetryAfter, type Response, readAtMost } from '../network/http-client.ts';

/** A page of the site has 43 KB. This limit stops a decompression bomb or an endless answer. */
const MAX_BYTES = 5 * 1024 * 1024;

/** The clock of the source may be ahead by this much. */
const MAX_CLOCK_SKEW_MS = 5 * MINUTE_MS;

/** The comment of the page cache is at the end of a page. */
const MAX_COMMENT_LENGTH = 300;

/** Request headers that make a later request for the same page conditional. */
export type Validators = { 'if-none-match'?: string; 'if-modified-since'?: string };

export interface FetchedPage {
  /** The address that answered, after redirects. */
  url: string;
  status: number;
  /** The decompressed body, decoded as UTF-8. */
  html: string;
  /** False when the body is not valid UTF-8; its invalid bytes are U+FFFD in `html`. */
  isUtf8: boolean;
  validators: Validators;
  /** When the page cache of the source built it, ms since 1970; absent where it does not say, or much later than now. */
  builtAt?: number;
  /** Whether Cloudflare marks this answer as a challenge. */
  challenged: boolean;
  retryAfterMs: number | undefined;
}

/**
 * Reads a response to its end. `now` is in ms since 1970. Throws AppError `source-down` when the body is too large.
 */
export async function readFetchedPage(url: string, response: Response, now: number): Promise<FetchedPage> {
  const { headers, status } = response;
  const etag = headers.get('etag');
  const lastModified = headers.get('last-modified');
  const { bytes, isWhole } = await readAtMost(MAX_BYTES, response.body);
  if (!isWhole) throw new AppError('source-down', `the page does not end within ${MAX_BYTES} bytes`);
  const html = new TextDecoder().decode(bytes);
  const builtAt = findBuildTime(html, lastModified);
  return {
    url,
    status,
    html,
    isUtf8: isUtf8(bytes),
    ...(builtAt <= now + MAX_CLOCK_SKEW_MS && { builtAt: Math.min(builtAt, now) }),
    validators: {
      ...(etag && { 'if-none-match': etag }),
      ...(lastModified && { 'if-modified-since': lastModified }),
    },
    challenged: headers.get('cf-mitigated') === 'challenge',
    retryAfterMs: parseRetryAfter(headers.get('retry-after') ?? '', now),
  };
}

/** The time in the comment of the page cache at the end (`cached@1770828068`), else from the header; NaN for none. */
function findBuildTime(html: string, lastModified: string | null): number {
  const seconds = /cached@(\d{10})\D/u.exec(html.slice(-MAX_COMMENT_LENGTH))?.[1];
  return seconds ? Number(seconds) * 1_000 : Date.parse(lastModified ?? '');
}
