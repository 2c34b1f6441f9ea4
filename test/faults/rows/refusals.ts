import { readChallenge } from '../../support/fixtures.ts';
import { always } from '../../support/source.ts';
import { first } from '../answers.ts';
import type { SourceFault } from '../fault.ts';

const CHALLENGE =
  '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body><script>' +
  'window._cf_chl_opt={cvId:\'3\'};</script><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1">' +
  '</script></body></html>';
const ASKED_FOR_MS = 3_000;

/** What a source says to who is not welcome. */
export const refusals: SourceFault[] = [
  {
    name: '403',
    does: 'answers 403 to everything',
    state: 'blocked',
    expectedReason: /refused with 403; set SOURCE_PROXY/u,
    begin: () => always(403, '<html>Forbidden</html>'),
  },
  {
    name: '429 with Retry-After',
    does: 'answers 429 to everything, with `Retry-After: 3`',
    state: 'blocked',
    expectedReason: /refused with 429; raise SOURCE_DELAY/u,
    retryAfterMs: ASKED_FOR_MS,
    begin: () => always(429, '', { 'Retry-After': `${ASKED_FOR_MS / 1_000}` }),
  },
  {
    name: '429 once, with Retry-After',
    does: 'answers the first request with 429 and `Retry-After: 1`',
    state: 'ok',
    expectedReason: /refused with 429.*trying again in 1.0 s/u,
    begin: () => first(1, always(429, '', { 'Retry-After': '1' })),
  },
  {
    name: 'challenge with 200',
    does: 'shows "Just a moment..." with 200',
    state: 'blocked',
    expectedReason: /answered with a challenge for browsers; wait, or set SOURCE_PROXY/u,
    begin: () => always(200, CHALLENGE),
  },
  {
    name: 'challenge with 503',
    does: 'shows "Just a moment..." with 503',
    state: 'blocked',
    expectedReason: /answered with a challenge for browsers; wait, or set SOURCE_PROXY/u,
    begin: () => always(503, CHALLENGE, { 'cf-mitigated': 'challenge' }),
  },
  {
    name: 'block with 200',
    does: 'shows "Attention Required! | Cloudflare" with 200',
    state: 'blocked',
    expectedReason: /answered with a challenge for browsers; wait, or set SOURCE_PROXY/u,
    begin: () => always(200, readChallenge('attention-required')),
  },
  {
    name: 'Turnstile with 200',
    does: 'shows a form with a Turnstile, with 200',
    state: 'blocked',
    expectedReason: /answered with a challenge for browsers; wait, or set SOURCE_PROXY/u,
    begin: () => always(200, readChallenge('turnstile')),
  },
];
