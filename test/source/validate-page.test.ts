import { describe, expect, test } from 'vitest';
import { validatePage } from '../../src/source/validate-page.ts';
import { costOf } from '../support/cost.ts';
import { readChallenge } from '../support/fixtures.ts';
import { fetchedPage, recogniseAs } from './support/fetched-page.ts';
import { refusal } from './support/refusal.ts';

const BEACON = '<script defer src="https://static.cloudflareinsights.com/beacon.min.js"></script>';
const CHALLENGE_SCRIPT = '<script src="/cdn-cgi/challenge-platform/h/b/o.js"></script>';
const TURNSTILE =
  '<script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script><div class="cf-turnstile"></div>';
const PAGE = `<!DOCTYPE html><html><head><title>Anime Ongoing</title></head><BODY><div class="venz">cloudflare</div>${BEACON}\n</BODY></html>`;

describe('a complete page of the site is accepted', () => {
  test.each([
    ['with the cloudflareinsights beacon of every real page', PAGE],
    ['with the script that is put into pages that are no challenge', PAGE.replace(BEACON, CHALLENGE_SCRIPT)],
    ['with the Turnstile of a form for comments', PAGE.replace(BEACON, TURNSTILE)],
    ['with white space after its end', `${PAGE}\n\n`],
    ['with the comment of the page cache after its end', `${PAGE}\n<!-- cached@1770828068 -->`],
    ['with several such comments', `${PAGE}\n<!-- a -->\n<!--\nb - c -> d\n-->\n`],
    ['ending in capitals', PAGE.replace('</html>', '</HTML>')],
    ['with letters that have another length in lower case', PAGE.replace('cloudflare', 'İstanbul İİİ')],
    ['with a comment that contains </html> after its end', `${PAGE}<!-- </html> -->`],
    ['with letters of any script', PAGE.replace('Anime Ongoing', 'Yume∞mita ½ ☆ 夢 💫')],
  ])('%s', (_what, html) => {
    expect(() => recogniseAs(fetchedPage(html))).not.toThrow();
  });
});

describe.each([200, 403])('a challenge with status %i is refused as source-blocked', (status) => {
  test.each([
    ['its title', PAGE.replace('Anime Ongoing', 'Just a moment...')],
    ['its options', PAGE.replace('<BODY>', '<BODY><script>window._cf_chl_opt = {};</script>')],
    ['its script, in place of a page', `<html><body>${CHALLENGE_SCRIPT}</body></html>`],
    ['the title of a block', readChallenge('attention-required')],
    ['its Turnstile, in place of a page', readChallenge('turnstile')],
  ])('when it is recognised by %s', (_mark, html) => {
    const answer = fetchedPage(html, { status });
    expect(() => recogniseAs(answer)).toThrow(refusal('source-blocked', /challenge.*SOURCE_PROXY/u));
  });

  test('with the Retry-After', () => {
    const answer = fetchedPage(readChallenge('turnstile'), { status, retryAfterMs: 7_000 });
    expect(() => recogniseAs(answer)).toThrow(expect.objectContaining({ retryAfterMs: 7_000 }));
  });

  test('when it is recognised by its header', () => {
    const answer = fetchedPage(PAGE, { status, challenged: true });
    expect(() => recogniseAs(answer)).toThrow(refusal('source-blocked', /challenge.*SOURCE_PROXY/u));
  });
});

describe('an error status is refused with a code and advice', () => {
  test.each([
    [522, 'source-down', /522/u],
    [410, 'source-moved', /410.*SOURCE_URLS/u],
    [301, 'source-moved', /301.*SOURCE_URLS/u],
  ] as const)('%i is %s', (status, code, reason) => {
    expect(() => recogniseAs(fetchedPage(PAGE, { status }))).toThrow(refusal(code, reason));
  });
});

describe('an incomplete page is refused', () => {
  test.each(['', ' \n\t '])('when it is empty: %j', (html) => {
    expect(() => recogniseAs(fetchedPage(html))).toThrow(refusal('source-down', /empty/u));
  });

  test.each([
    ['in its head', PAGE.slice(0, 40)],
    ['in a title, which would be read half', PAGE.slice(0, PAGE.indexOf('going'))],
    ['before its last letter', PAGE.slice(0, -1)],
    ['after a comment that contains </html>', `${PAGE.slice(0, -'</html>'.length)}<!-- </html> --><p>`],
    ['without a doctype', PAGE.slice('<!DOCTYPE html>'.length, -'</html>'.length)],
  ])('when it is cut off %s', (_where, html) => {
    expect(() => recogniseAs(fetchedPage(html))).toThrow(refusal('source-down', /cut off/u));
  });

  test('when it has another encoding than UTF-8', () => {
    const html = new TextDecoder().decode(Buffer.from(PAGE.replace('Anime', '½ Ü'), 'latin1'));
    expect(() => recogniseAs(fetchedPage(html, { isUtf8: false }))).toThrow(
      refusal('source-changed', /UTF-8/u),
    );
  });
});

describe("a page without the site's markup", () => {
  test.each([
    ['that is complete', '<html><title>Domain for sale</title><body></body></html>'],
    [
      'with a script after its end',
      '<!doctype html><html><title>Parked</title></html><script src=ads.js></script>',
    ],
    ['that is no document at all', 'It works!'],
  ])('%s is refused as source-moved', (_what, html) => {
    expect(() => recogniseAs(fetchedPage(html))).toThrow(refusal('source-moved', /not the site's/u));
  });

  test('in another encoding is refused as source-moved', () => {
    const page = fetchedPage('<html><title>Domaine \uFFFD vendre</title></html>', { isUtf8: false });
    expect(() => recogniseAs(page)).toThrow(refusal('source-moved', /not the site's/u));
  });

  test('is refused as cut off when it may be the beginning of a page of the site', () => {
    expect(() => recogniseAs(fetchedPage('<!DOCTYPE html PUBLIC'))).toThrow(
      refusal('source-down', /cut off/u),
    );
  });
});

test('a page of the site whose parser throws any error is refused as source-changed', () => {
  const parse = () => {
    throw new RangeError('Maximum call stack size exceeded');
  };
  expect(() => validatePage(fetchedPage(PAGE), parse)).toThrow(
    refusal('source-changed', /cannot be parsed/u),
  );
});

test('a page is validated in linear time', () => {
  const page = fetchedPage(`<html class="venz">${'</html><!--'.repeat(100_000)}`);
  expect(costOf(() => expect(() => recogniseAs(page)).toThrow())).toBeLessThan(10);
});
