import { brotliCompressSync, gzipSync } from 'node:zlib';
import nock from 'nock';
import { describe, expect, test, vi } from 'vitest';
import { answerWithNock } from '../support/nock.ts';
import { openFetcher } from './support/loopback.ts';
import { refusal } from './support/refusal.ts';

const SITE = 'https://otakudesu.example';
const NEW_SITE = 'https://otakudesu.test';
const { signal } = new AbortController();

/** Ask that one for a page */
function fetchPage(path: string, validators?: { 'if-none-match'?: string; 'if-modified-since'?: string }) {
  return openFetcher({ origins: [SITE] }).fetchPage(`${SITE}${path}`, signal, validators);
}

answerWithNock();

describe('a request', () => {
  test('has the User-Agent and the supported encodings, and no conditions at first', async () => {
    const headers = { 'user-agent': 'Tayang/test', 'accept-encoding': 'br, gzip', accept: /html/u };
    const options = { reqheaders: headers, badheaders: ['if-none-match', 'if-modified-since', 'cookie'] };
    nock(SITE, options).get('/').reply(200, 'Halaman');
    expect(await fetchPage('/')).toMatchObject({ status: 200, html: 'Halaman', url: `${SITE}/` });
  });

  test('has the given validators', async () => {
    const validators = { 'if-none-match': '"a"', 'if-modified-since': 'Wed, 11 Feb 2026 17:37:28 GMT' };
    nock(SITE, { reqheaders: validators }).get('/').reply(304);
    expect(await fetchPage('/', validators)).toMatchObject({ status: 304, html: '' });
  });
});

describe('an answer', () => {
  test.each([
    ['br', brotliCompressSync('Ranah ½ ∞')],
    ['gzip', gzipSync('Ranah ½ ∞')],
  ])('in %s is decompressed', async (encoding, body) => {
    nock(SITE).get('/').reply(200, body, { 'content-encoding': encoding });
    expect((await fetchPage('/')).html).toBe('Ranah ½ ∞');
  });

  test('is returned whatever its status, and is marked when it is a challenge', async () => {
    nock(SITE).get('/').reply(403, 'Tidak boleh', { 'cf-mitigated': 'challenge' });
    expect(await fetchPage('/')).toMatchObject({ status: 403, html: 'Tidak boleh', challenged: true });
    nock(SITE).get('/').reply(503, '');
    expect(await fetchPage('/')).toMatchObject({ status: 503, challenged: false });
  });

  test('with invalid UTF-8 has replacement characters in its place', async () => {
    nock(SITE)
      .get('/')
      .reply(200, Buffer.from([0x41, 0xff, 0x42]));
    expect((await fetchPage('/')).html).toBe('A\uFFFDB');
  });

  test.each([
    ['120', 120_000],
    ['0', 0],
    ['Wed, 11 Feb 2026 17:38:28 GMT', 60_000],
    ['Wed, 11 Feb 2026 17:37:00 GMT', 0],
    ['nanti', undefined],
    [undefined, undefined],
  ])('with Retry-After: %s has a retryAfterMs of %s', async (value, expectedMs) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-02-11T17:37:28Z') });
    nock(SITE)
      .get('/')
      .reply(429, '', value === undefined ? {} : { 'retry-after': value });
    const { retryAfterMs } = await fetchPage('/').finally(() => vi.useRealTimers());
    expect(retryAfterMs).toBe(expectedMs);
  });
});

describe('a redirect', () => {
  function redirectTimes(times: number): void {
    for (let hop = 0; hop < times; hop += 1)
      nock(SITE)
        .get(`/${hop}`)
        .reply(302, 'Pindah', { location: `${hop + 1}` });
    nock(SITE).get(`/${times}`).reply(200, 'Sampai');
  }

  test('is followed to another host with all headers', async () => {
    nock(SITE)
      .get('/jadwal-rilis/')
      .reply(301, '', { location: `${NEW_SITE}/jadwal-rilis/` });
    nock(NEW_SITE, { reqheaders: { 'user-agent': 'Tayang/test' } })
      .get('/jadwal-rilis/')
      .reply(200, 'Jadwal');
    const page = await fetchPage('/jadwal-rilis/');
    expect(page).toMatchObject({ url: `${NEW_SITE}/jadwal-rilis/`, status: 200, html: 'Jadwal' });
  });

  test('is followed five times, each relative to the previous one', async () => {
    redirectTimes(5);
    expect(await fetchPage('/0')).toMatchObject({ url: `${SITE}/5`, html: 'Sampai' });
  });

  test('is not followed a sixth time', async () => {
    redirectTimes(6);
    await expect(fetchPage('/0')).rejects.toThrow(refusal('source-down', /redirects more than 5 times/u));
    expect(nock.pendingMocks()).toEqual(['GET https://otakudesu.example:443/6']);
  });

  test.each([
    ['this machine', 'http://127.0.0.1:6379/', /127\.0\.0\.1:6379, a private address/u],
    ['this machine by name', 'http://localhost/', /localhost, a private address/u],
    ['this machine in IPv6', 'http://[::1]/', /private/u],
    ['this machine, mapped', 'http://[::ffff:127.0.0.1]/', /private/u],
    ['a private network', 'http://10.1.2.3/', /private/u],
    ['what a cloud tells its machines', 'http://169.254.169.254/latest/meta-data/', /private/u],
    ['no web address', 'javascript:alert(1)', /redirects to/u],
  ])('to %s is refused, and the error names it', async (_what, location, where) => {
    nock(SITE).get('/').reply(301, '', { location });
    await expect(fetchPage('/')).rejects.toThrow(refusal('source-moved', where));
  });

  test('without a location is returned as it is', async () => {
    nock(SITE).get('/').reply(302, 'Ke mana?');
    expect(await fetchPage('/')).toMatchObject({ status: 302, html: 'Ke mana?' });
  });
});
