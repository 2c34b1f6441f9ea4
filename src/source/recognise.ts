import { AppError } from '../domain/errors.ts';
import type { FetchedPage } from './fetch-page.ts';

const CHALLENGE = /<title>\s*Just a moment\.\.\.|_cf_chl_opt|\/cdn-cgi\/challenge-platform\//u;
/** Every page of the site ends so, but for a comment of its page cache. */
const END = /<\/html>\s*(?:<!--(?:(?!-->)[\s\S])*-->\s*)*$/iu;
const BEGINNING = /<(?:!doctype|html)\b/iu;

/**
 * Takes an answer for a whole page, or throws AppError: `source-blocked` for a refusal or a challenge, whatever its
 * status; `source-down` for an error of the server's and for a page cut off on its way, which can look whole, with
 * a title half read and no pager; `source-moved` for an address that is not there. Whose page it is, its parser tells.
 */
export function recognise(page: FetchedPage): void {
  if (page.challenged || CHALLENGE.test(page.html)) {
    throw new AppError(
      'source-blocked',
      'the source asks for proof of a person (a challenge); wait, or set SOURCE_PROXY',
    );
  }
  if (page.status === 403 || page.status === 429) {
    const advice =
      page.status === 429 ? 'raise SOURCE_DELAY' : 'set SOURCE_PROXY: it refuses many data-centre addresses';
    throw new AppError('source-blocked', `the source refused with ${page.status}; ${advice}`, {
      retryAfterMs: page.retryAfterMs,
    });
  }
  if (page.status >= 500) {
    throw new AppError('source-down', `the source answered ${page.status}`, {
      retryAfterMs: page.retryAfterMs,
    });
  }
  if (page.status !== 200) {
    throw new AppError(
      'source-moved',
      `the source answered ${page.status}; set SOURCE_URLS to the site's present address`,
    );
  }
  if (page.html.trim() === '') throw new AppError('source-down', 'the source answered with an empty page');
  if (BEGINNING.test(page.html) && !END.test(page.html)) {
    throw new AppError('source-down', 'the page was cut off on its way: it does not end in </html>');
  }
  if (page.html.includes('\uFFFD')) {
    throw new AppError('source-changed', 'the page is not the UTF-8 that it should be');
  }
}
