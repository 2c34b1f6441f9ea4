import { AppError } from '../domain/errors.ts';
import type { FetchedPage } from './fetch-page.ts';

const CHALLENGE = /<title>\s*Just a moment\.\.\.|_cf_chl_opt/u;
/** Also stands in pages that are none: it tells only what a page is that is not the site's. */
const CHALLENGE_SCRIPT = '/cdn-cgi/challenge-platform/';

/**
 * Takes an answer for a whole page of the site and parses it, or throws AppError: `source-blocked` for a refusal or
 * a challenge, whatever its status; `source-down` for an error of the server's and for a page that was cut off on
 * its way; `source-moved` for somebody else's page; `source-changed` for what the parser does not know.
 */
export function validatePage<Parsed>(page: FetchedPage, parse: () => Parsed): Parsed {
  refuseAnswer(page);
  try {
    const parsed = parse();
    checkWhole(page);
    return parsed;
  } catch (error) {
    if (!(error instanceof AppError))
      throw new AppError('source-changed', 'the page cannot be parsed', { cause: error });
    if (error.code === 'source-moved') refuseForeign(page, error);
    checkWhole(page);
    throw error;
  }
}

function refuseAnswer({ url, status, html, challenged, retryAfterMs }: FetchedPage): void {
  const isMarked = CHALLENGE.test(html) || (status !== 200 && html.includes(CHALLENGE_SCRIPT));
  if (challenged || isMarked) throw challenge();
  if (status === 403 || status === 429) {
    const advice =
      status === 429 ? 'raise SOURCE_DELAY' : 'set SOURCE_PROXY: it refuses many data-centre addresses';
    throw new AppError('source-blocked', `the source refused with ${status}; ${advice}`, { retryAfterMs });
  }
  if (status >= 500)
    throw new AppError('source-down', `the source answered ${status} to ${new URL(url).pathname}`, {
      retryAfterMs,
    });
  if (status !== 200) {
    throw new AppError(
      'source-moved',
      `the source answered ${status}; set SOURCE_URLS to the site's present address`,
    );
  }
  if (html.trim() === '') throw new AppError('source-down', 'the source answered with an empty page');
}

/** What is not the site's may still be a challenge, or the beginning of one of its pages. */
function refuseForeign({ url, html }: FetchedPage, error: AppError): never {
  if (html.includes(CHALLENGE_SCRIPT)) throw challenge();
  const isBeginning = /<(?:!doctype|html)\b/iu.test(html) && !/<\/html>/iu.test(html);
  throw isBeginning ? cutOff(url) : error;
}

/**
 * A page that was cut off can look whole, with a title half read and no pager. Every page of the site ends in
 * `</html>`, and at most the comment of its page cache.
 */
function checkWhole({ url, html, isUtf8 }: FetchedPage): void {
  if (!/<\/html>$/iu.test(withoutLastComments(html).slice(-'</html>'.length))) throw cutOff(url);
  if (!isUtf8)
    throw new AppError('source-changed', `${new URL(url).pathname} is not the UTF-8 that it should be`);
}

/** From the end, each step looking at what it removes alone: a page may hold any number of them. */
function withoutLastComments(html: string): string {
  let rest = html.trimEnd();
  while (rest.endsWith('-->')) rest = rest.slice(0, Math.max(0, rest.lastIndexOf('<!--'))).trimEnd();
  return rest;
}

function challenge(): AppError {
  const advice = 'wait, or set SOURCE_PROXY';
  return new AppError('source-blocked', `the source asks for proof of a person (a challenge); ${advice}`);
}

function cutOff(url: string): AppError {
  return new AppError(
    'source-down',
    `${new URL(url).pathname} was cut off on its way: it does not end in </html>`,
  );
}
