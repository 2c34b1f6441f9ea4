import { describe, expect, onTestFinished, test } from 'vitest';
import { listingRobots, UPLOAD_ROBOTS } from '../../src/publishing/site-files.ts';
import { openReadyService, openTestService } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the front page', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(service.address + path, { headers });

  const service = openOnce((defer) => openReadyService(defer, { CONTACT: 'mailto:keamanan@example.org' }));

  test.each([
    ['/', undefined, 'id'],
    ['/', '', 'id'],
    ['/', 'en', 'en'],
    ['/', 'en-US,en;q=0.9', 'en'],
    ['/', 'id-ID,id;q=0.9,en-US;q=0.8', 'id'],
    ['/', 'de-DE,de;q=0.9', 'id'],
    ['/', 'de,en;q=0.5', 'en'],
    ['/', 'en;q=0.2, id;q=0.1', 'en'],
    ['/', '*', 'id'],
    ['/?lang=en', 'id', 'en'],
    ['/?lang=id', 'en', 'id'],
    ['/?lang=xx', 'en', 'en'],
    ['/?utm_source=x', 'en', 'en'],
    ['/docs', 'en-GB,en;q=0.9,id;q=0.5', 'en'],
    ['/docs?lang=id', 'en', 'id'],
  ])('%s with Accept-Language: %s is in %s', async (path, acceptLanguage, expected) => {
    const response = await get(
      path,
      acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage },
    );
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-language')).toBe(expected);
    expect(response.headers.get('vary')).toBe('Accept-Language, Accept-Encoding');
    expect(await response.text()).toContain(`<html lang="${expected}">`);
  });

  test('has a tag for each language, 304 and freshness headers like every document', async () => {
    const tagOf = async (lang: string) => (await get(`/?lang=${lang}`)).headers.get('etag') ?? '';
    const [id, en] = [await tagOf('id'), await tagOf('en')];
    expect(id).not.toBe(en);
    const again = await get('/', { 'if-none-match': id });
    expect(again.status).toBe(304);
    expect(again.headers.get('vary')).toBe('Accept-Language, Accept-Encoding');
    expect(again.headers.get('cache-status')).toContain('detail=ok');
    expect((await get('/', { 'if-none-match': en })).status).toBe(200);
  });

  test('allows no inline script or style, and covers only from the source', async () => {
    const response = await get('/');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toBe(
      `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data: ${service.source.origin}; ` +
        "media-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(await response.text()).not.toMatch(/ style=|<style|<script>| on\w+="/u);
  });

  test('shows every anime, and its first row under its slug', async () => {
    const text = await (await get('/')).text();
    const ids = [...text.matchAll(/<li id="([^"]+)"/gu)].map(([, id]) => id);
    expect(ids.toSorted()).toEqual(service.source.catalogue.anime.map(({ slug }) => slug).toSorted());
  });

  test('has a link preview with absolute addresses', async () => {
    const text = await (await get('/')).text();
    const [, image = ''] = /<meta property="og:image" content="([^"]+)">/u.exec(text) ?? [];
    const { port } = new URL(service.address);
    expect(image).toBe(`http://localhost:${port}/assets/preview.png`);
    const response = await fetch(image);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-type')).toBe('image/png');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630]);
    expect(bytes.length).toBeLessThan(30_000);
  });

  test('answers 404 with a page in the language of the browser, or with JSON', async () => {
    const page = await get('/tidak/ada', PAGE);
    expect(page.status).toBe(404);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('vary')).toContain('Accept-Language');
    expect(await page.text()).toContain('<h1>Halaman tidak ditemukan</h1>');
    expect(await (await get('/nothing', { ...PAGE, 'accept-language': 'en' })).text()).toContain(
      '<h1>Page not found</h1>',
    );
    const json = await get('/tidak/ada');
    expect(json.status).toBe(404);
    expect(await json.json()).toEqual({ status: false, message: 'there is nothing at /tidak/ada' });
  });

  test.each([
    ['address', listingRobots],
    ['uploads', () => UPLOAD_ROBOTS],
  ] as const)('%s has a robots.txt', async (origin, expected) => {
    const response = await fetch(`${service[origin]}/robots.txt`);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe(expected(service.address.replace('127.0.0.1', 'localhost')));
  });

  test.each(['address', 'uploads'] as const)('%s has a favicon', async (origin) => {
    const icon = await fetch(`${service[origin]}/favicon.ico`);
    expect(icon.headers.get('content-type')).toBe('image/x-icon');
    expect(Buffer.from(await icon.arrayBuffer()).readUInt32BE(0)).toBe(0x00000100);
    const svg = await fetch(`${service[origin]}/favicon.svg`);
    expect(svg.headers.get('content-type')).toBe('image/svg+xml');
    expect(await svg.text()).toMatch(/^<svg /u);
  });

  test.each(['address', 'uploads'] as const)('%s has a security.txt', async (origin) => {
    const text = await (await fetch(`${service[origin]}/.well-known/security.txt`)).text();
    const [, expires = ''] = /^Expires: (.+)$/mu.exec(text) ?? [];
    expect(text).toMatch(/^Contact: mailto:keamanan@example\.org$/mu);
    expect(Date.parse(expires)).toBeGreaterThan(Date.now() + 300 * 86_400_000);
  });

  test.each(['/', '/nothing'])('the page %s of the uploads has a link to the operator', async (path) => {
    const page = await fetch(service.uploads + path, { headers: PAGE });
    const link = '<a href="mailto:keamanan@example.org">Hubungi pengelola</a>';
    expect(await page.text()).toContain(link);
  });
});

describe('before the first snapshot, the front page', () => {
  test('is an uncacheable notice in the language of the browser', async () => {
    const { address } = await openTestService(onTestFinished, {}, () => true);
    const response = await fetch(`${address}/`, { headers: PAGE });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toContain('<h1>Sebentar, ya</h1>');
    const english = await fetch(`${address}/?lang=en`, { headers: PAGE });
    expect(await english.text()).toContain('<h1>Just a moment</h1>');
    expect(await (await fetch(`${address}/`)).json()).toMatchObject({ status: false });
  });

  test('has no security.txt without CONTACT', async () => {
    const { address } = await openTestService(onTestFinished, { REFRESH_CRON: 'off' });
    expect((await fetch(`${address}/.well-known/security.txt`)).status).toBe(404);
  });
});
