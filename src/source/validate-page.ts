import { AppError } from '../domain/errors.ts';
import type { FetchedPage } from './fetched-page.ts';
import { PageGone, RedirectedError, refusePage } from './source.ts';

const CHALLENGE = /<title>\s*(?:Just a moment\.\.\.|Attention Required! \| Cloudflare)|_cf_chl_opt/u;
/** Ordinary pages may contain these scripts as well, so they mark a challenge only where the page is not the site's. */
const CHALLENGE_SCRIPT = /\/cdn-cgi\/challenge-platform\/|\/\/challenges\.cloudflare\.com\/turnstile\//u;

/**
 * Parses a whole page of the site. Throws AppError `source-blocked` for a refusal or a challenge, whatever its status;
 * `source-down` for a server error and a truncated page; `source-moved` for a page of another site; `source-changed`
 * for a page that the parser does not understand.
 */
export function validatePage<Parsed>(page: FetchedPage, parse: () => Parsed): Parsed {
  checkStatus(page);
  try {
    const parsed = parse();
    checkComplete(page);
    return parsed;
  } catch (error) {
    if (!(error instanceof AppError))
      throw new AppError('source-changed', 'the page cannot be parsed', { cause: error });
    if (error.code === 'source-moved') throwForeign(page, error);
    checkComplete(page);
    throw error;
  }
}

/**
 * Parses the page of an anime, which was asked for at the address `asked`, like `validatePage`. Throws PageGone where it is not
 * there: the site answers 302 to a page of another host, others 404.
 */
export function validateAnimePage<Parsed>(page: FetchedPage, parse: () => Parsed, asked: string): Parsed {
  try {
    return validatePage(page, parse);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // What the host refuses to which the page has moved, the source does not refuse.
    if (error.code !== 'source-moved' && new URL(page.url).host !== new URL(asked).host)
      throw new RedirectedError(error.code, error.message, { cause: error });
    if (error.code !== 'source-moved') throw error;
    const { pathname } = new URL(asked);
    if (page.status === 404 || page.status === 410)
      throw new PageGone(`the source answered ${page.status} for ${pathname}`, { cause: error });
    if (page.status !== 200 || isSamePage(page.url, asked)) throw error;
    throw new PageGone(`the source redirects ${pathname} to ${page.url}: ${error.message}`, { cause: error });
  }
}

/** Whether two addresses are of one host and path; a site may add the last slash, or ask for https. */
function isSamePage(url: string, other: string): boolean {
  const one = new URL(url);
  const two = new URL(other);
  const pathOf = ({ pathname }: URL) => pathname.replace(/\/$/u, '');
  return one.host === two.host && pathOf(one) === pathOf(two);
}

function checkStatus({ url, status, html, challenged, retryAfterMs }: FetchedPage): void {
  const isMarked = CHALLENGE.test(html) || (status !== 200 && CHALLENGE_SCRIPT.test(html));
  if (challenged || isMarked) throw challenge(retryAfterMs);
  if (status === 403 || status === 429) {
    const advice =
      status === 429 ? 'raise SOURCE_DELAY' : 'set SOURCE_PROXY: it refuses many data-centre addresses';
    throw new AppError('source-blocked', `the source refused with ${status}; ${advice}`, { retryAfterMs });
  }
  if (status >= 500)
    throw new AppError('source-down', `the source answered ${status} for ${new URL(url).pathname}`, {
      retryAfterMs,
    });
  if (status === 304)
    throw new AppError(
      'source-down',
      'the source answered 304, but this process has no earlier answer for that address',
    );
  if (status !== 200) {
    throw new AppError(
      'source-moved',
      `the source answered ${status}; set SOURCE_URLS to the site's present address`,
    );
  }
  if (html.trim() === '') throw new AppError('source-down', 'the source answered with an empty page');
}

/** A page without the site's markup may be a challenge, or the beginning of a truncated page. */
function throwForeign({ url, html, retryAfterMs }: FetchedPage, error: AppError): never {
  if (CHALLENGE_SCRIPT.test(html)) throw challenge(retryAfterMs);
  const isTruncated = /<(?:!doctype|html)\b/iu.test(html) && !/<\/html>/iu.test(html);
  throw isTruncated ? truncated(url) : error;
}

/**
 * Refuses a truncated page, which can parse without an error. Every page of the site ends in `</html>`, perhaps with a
 * comment of its page cache after it.
 */
function checkComplete({ url, html, isUtf8 }: FetchedPage): void {
  if (!/<\/html>$/iu.test(stripTrailingComments(html).slice(-'</html>'.length))) throw truncated(url);
  if (!isUtf8) refusePage(`${new URL(url).pathname} is not valid UTF-8`);
}

/** Removes the comments at the end, one by one, in linear time: a page may have any number of them. */
function stripTrailingComments(html: string): string {
  let rest = html.trimEnd();
  while (rest.endsWith('-->')) rest = rest.slice(0, Math.max(0, rest.lastIndexOf('<!--'))).trimEnd();
  return rest;
}

function challenge(retryAfterMs: number | undefined): AppError {
  const reason = 'the source answered with a challenge for browsers; wait, or set SOURCE_PROXY';
  return new AppError('source-blocked', reason, { retryAfterMs });
}

function truncated(url: string): AppError {
  return new AppError('source-down', `${new URL(url).pathname} was cut off: it does not end in </html>`);
}
