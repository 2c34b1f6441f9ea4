import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openReadyService } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

const service = openOnce((defer) => openReadyService(defer, {}, undefined, new Date()));

const DECODERS = {
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
  gzip: zlib.gunzipSync,
};
const ENCODINGS = Object.keys(DECODERS) as (keyof typeof DECODERS)[];

/** Sends a request with exactly these headers, and does not decode the response. */
async function send(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, string>; body: Buffer }>((resolve, reject) => {
    const sent = request(`${service.listing}${path}`, { method, headers }, async (response) => {
      const { statusCode: status = 0 } = response;
      const body = await buffer(response);
      resolve({ status, headers: response.headers as Record<string, string>, body });
    });
    sent.on('error', reject).end();
  });
}

/** The addresses of an anime, and a calendar of two. */
function pathsOfAnime(): string[] {
  const [one, two] = service.source.catalogue.anime.map(({ slug }) => slug);
  return [
    `/api/anime/${one}`,
    `/otakudesu/anime/${one}`,
    `/anime/${one}`,
    `/anime/${one}?lang=en`,
    `/feeds/episodes.atom?slug=${one}`,
    `/feeds/episodes.json?slug=${one}`,
    `/feeds/schedule.ics?slug=${one}`,
    `/feeds/schedule.ics?slug=${one}&slug=${two}`,
    `/feeds/schedule.ics?slug=${one}&alarm=30m`,
    '/feeds/schedule.ics?alarm=1h',
  ];
}

const PATHS = [
  '/',
  '/api/anime',
  '/api/anime/home',
  '/api/anime/schedule',
  '/api/anime/upcoming',
  '/api/anime/releases',
  '/feeds/episodes.atom',
  '/feeds/episodes.json',
  '/feeds/schedule.ics',
  '/status',
  '/status?lang=en',
  '/docs',
  '/openapi.json',
  '/otakudesu/home',
  '/otakudesu/schedule',
];

describe('everything of 1 KB and more', () => {
  test('has a strong tag for each encoding, each of which is current, and is the same decoded', async () => {
    let compressed = 0;
    for (const path of [...PATHS, ...pathsOfAnime()]) {
      const plain = await send(path);
      expect([path, plain.status, plain.headers['content-encoding']]).toEqual([path, 200, undefined]);
      if (plain.body.length < 1_024) continue;
      compressed += 1;
      const tags = [plain.headers.etag];
      for (const encoding of ENCODINGS) {
        const answer = await send(path, { 'accept-encoding': encoding });
        expect([path, answer.headers['content-encoding']]).toEqual([path, encoding]);
        expect(answer.headers.vary).toContain('Accept-Encoding');
        expect(answer.headers['content-length']).toBe(String(answer.body.length));
        expect(answer.body.length).toBeLessThan(plain.body.length);
        expect(DECODERS[encoding](answer.body).equals(plain.body), path).toBe(true);
        const again = await send(path, { 'accept-encoding': encoding }, 'HEAD');
        expect([again.headers.etag, again.body.length]).toEqual([answer.headers.etag, 0]);
        tags.push(answer.headers.etag);
      }
      expect(new Set(tags).size).toBe(4);
      for (const tag of tags) {
        expect(tag).toMatch(/^"[^"]+"$/u);
        expect((await send(path, { 'if-none-match': tag! })).status).toBe(304);
      }
    }
    expect(compressed).toBeGreaterThan(PATHS.length);
  });

  test('is not sent in an encoding that is refused', async () => {
    const path = pathsOfAnime()[2]!;
    const chosen = async (accepted: string) =>
      (await send(path, { 'accept-encoding': accepted })).headers['content-encoding'];
    expect(await chosen('br;q=0, gzip')).toBe('gzip');
    expect(await chosen('br;q=0, gzip;q=0, zstd;q=0.1')).toBe('zstd');
    expect(await chosen('br;q=0, gzip;q=0, zstd;q=0')).toBeUndefined();
    expect(await chosen('*;q=0, identity')).toBeUndefined();
    expect((await send(path, { 'accept-encoding': 'identity;q=0, *;q=0' })).status).toBe(406);
  });

  test('has tags that are known before anybody has asked for an encoding, as after a restart', async () => {
    const { slug } = service.source.catalogue.anime.at(-1)!;
    const path = `/anime/${slug}`;
    const { etag = '' } = (await send(path)).headers;
    const tag = `${etag.slice(0, -1)}-br"`;
    expect((await send(path, { 'if-none-match': tag })).status).toBe(304);
    expect((await send(path, { 'accept-encoding': 'br' })).headers.etag).toBe(tag);
  });
});

test('the status page is the same bytes, with one tag, until something changes', async () => {
  const [one, two] = [await send('/status'), await send('/status')];
  expect(one.headers.etag).toBe(two.headers.etag);
  expect(one.headers['cache-control']).toBe('no-cache');
  expect(one.headers.vary).toBe('Accept-Language, Accept-Encoding');
});
