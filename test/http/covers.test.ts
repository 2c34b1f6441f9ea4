import { mkdir, rename } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import type { Defer } from '../support/defer.ts';
import { eventually, openTestService, readJson, temporaryFolder } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';
import { openOnce } from '../support/until-end.ts';

const COUNT = 14;
const OWN = /\/covers\/[a-z0-9%-]+-[0-9a-f]{16}\.jpg$/u;

/** A service and its source with a few anime; `answer` is asked first for the cover of each, by its position in the list. */
async function openCovers(
  defer: Defer,
  environment: Record<string, string> = {},
  answer: (index: number, response: ServerResponse) => boolean = () => false,
) {
  const source = await openTestSource(defer);
  source.catalogue.anime.splice(COUNT);
  const images = source.catalogue.anime.map(({ image }) => image);
  const referers: (string | undefined)[] = [];
  source.fault = ({ url = '', headers }, response) => {
    const index = images.indexOf(url);
    if (index >= 0) referers.push(headers.referer);
    return index >= 0 && answer(index, response);
  };
  const env = {
    COVERS: 'on',
    SOURCE_URLS: source.origin,
    DATA_DIR: await temporaryFolder(defer),
    ...environment,
  };
  const service = await openTestService(defer, env);
  await service.ready();
  const get = (path: string, init?: RequestInit) => fetch(service.listing + path, init);
  return { ...service, env, source, images, referers, get, json: (path: string) => readJson(get(path)) };
}

type Opened = Awaited<ReturnType<typeof openCovers>>;

/** Waits until so many covers are kept, and the last try of so many has failed. */
const untilTried = ({ json }: Pick<Opened, 'json'>, known: number, failed = 0) =>
  eventually(
    async () => (await json('/readyz')).covers,
    (covers) => covers.known === known && covers.failed === failed,
  );

describe('a cover that is kept', () => {
  const opened = openOnce(async (defer) => {
    const service = await openCovers(defer);
    await untilTried(service, COUNT);
    const [anime] = (await service.json('/api/anime/home')).data.data as [OngoingAnime];
    return { ...service, anime };
  });

  test('is the image of the anime in every answer', async () => {
    const { json, get, anime } = opened;
    const { slug, image } = anime;
    expect(image).toMatch(OWN);
    expect(new URL(image).pathname).toMatch(new RegExp(`^/covers/${slug}-`, 'u'));
    const { ongoing } = (await json('/api/anime')).data;
    for (const one of ongoing) expect(one.image).toMatch(OWN);
    expect((await json(`/api/anime/${slug}`)).data.image).toBe(image);
    for (const release of (await json('/api/anime/releases')).data) expect(release.image).toMatch(OWN);
    expect((await json(`/otakudesu/anime/${slug}`)).data.details.poster).toBe(image);
    for (const { poster } of (await json('/otakudesu/ongoing')).data.animeList) expect(poster).toMatch(OWN);
    for (const path of ['/api/anime', '/api/anime/events', '/feeds/episodes.atom', '/feeds/episodes.json'])
      expect(await (await get(path)).text(), path).not.toContain('/wp-content/');
  });

  test('is shown by pages with its size, and nothing is loaded from anywhere else', async () => {
    const { get, anime, source } = opened;
    for (const path of ['/?lang=id', '/?lang=en', `/anime/${anime.slug}`]) {
      const page = await get(path);
      const text = await page.text();
      expect(page.headers.get('content-security-policy')).toContain("; img-src 'self' data:; ");
      const pictures = [...text.matchAll(/<img [^>]*src="([^"]*)"[^>]*>/gu)].filter(
        ([, src]) => !src?.startsWith('data:'),
      );
      expect(pictures.length).toBeGreaterThan(0);
      for (const [picture] of pictures)
        expect(picture).toMatch(/src="\/covers\/[^"]+-[0-9a-f]{16}\.webp" width="160" height="226"/u);
      expect(text).not.toContain(`src="${source.origin}`);
      expect(text).not.toMatch(/langsung dari situs sumber|directly from the source/u);
    }
    const text = await (await get(`/anime/${anime.slug}`)).text();
    expect(text).toContain(`<meta property="og:image" content="${anime.image}">`);
    expect(text).toContain('<meta property="og:image:width" content="225">');
    expect(text).toContain('<meta property="og:image:height" content="318">');
  });

  test('is sent in two sizes, to be kept for ever', async () => {
    const { anime, get } = opened;
    const address = new URL(anime.image).pathname;
    for (const [path, type, width] of [
      [address, 'jpeg', 225],
      [address.replace('.jpg', '.webp'), 'webp', 160],
    ] as const) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': `image/${type}`,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        etag: expect.stringMatching(/^"[\w-]+"$/u),
      });
      expect(response.headers.has('content-encoding')).toBe(false);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(await sharp(bytes).metadata()).toMatchObject({ format: type, width });
      const known = await get(path, { headers: { 'If-None-Match': response.headers.get('etag')! } });
      expect([known.status, await known.text()]).toEqual([304, '']);
      const head = await get(path, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
      expect((await get(path, { method: 'POST' })).status).toBe(405);
    }
  });

  test.each([
    '/covers/',
    '/covers/naga',
    '/covers/naga-0123456789abcdef.jpg',
    '/covers/naga-0123456789abcdef.png',
    '/covers/..%2f..%2fetc%2fpasswd-0123456789abcdef.jpg',
    '/covers/%ff-0123456789abcdef.webp',
  ])('is at no other address (%s)', async (path) => {
    const response = await opened.get(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).not.toMatch(/immutable/u);
  });

  test('was requested once, with the page that shows it, and is no event', async () => {
    const { source, referers, json } = opened;
    const requests = source.requests.filter((url) => url.startsWith('/wp-content/'));
    expect(requests.toSorted()).toEqual(opened.images.toSorted());
    for (const referer of referers)
      expect(referer).toMatch(new RegExp(`^${source.origin}/anime/[^/]+/$`, 'u'));
    const { events } = (await json('/api/anime/events')).data;
    expect(events.filter(({ type }: { type: string }) => type !== 'added')).toEqual([]);
  });

  test('dates the answers that show it, and no other', async () => {
    const { get, json } = opened;
    const dateOf = async (path: string) => Date.parse((await get(path)).headers.get('last-modified')!);
    const { changedAt } = (await json('/readyz')).snapshot;
    const listed = Math.floor(Date.parse(changedAt) / 1_000) * 1_000;
    expect(await dateOf('/api/anime/schedule')).toBe(listed);
    expect(await dateOf('/api/anime/home')).toBeGreaterThan(listed);
  });

  test('is there after a restart and in another process, with the source gone', async () => {
    const { env, anime, source, get } = opened;
    const path = new URL(anime.image).pathname;
    const bytes = await (await get(path)).bytes();
    await source.close();
    for (const serve of ['listing', 'listing,refresh']) {
      const other = await openTestService(onTestFinished, { ...env, SERVE: serve, REFRESH_CRON: 'off' });
      await other.ready();
      expect(await (await fetch(other.listing + path)).bytes()).toEqual(bytes);
      const { image } = (await readJson(fetch(`${other.listing}/api/anime/${anime.slug}`))).data;
      expect(new URL(image).pathname).toBe(path);
      const { covers } = await readJson(fetch(`${other.listing}/readyz`));
      expect(covers).toEqual({ known: COUNT, missing: 0, failed: 0 });
    }
  });
});

test('a cover that cannot be had costs itself alone', async () => {
  const large = Buffer.alloc(64 * 1024, 'GIF89a');
  const answers: Record<number, (response: ServerResponse) => unknown> = {
    1: (response) => response.writeHead(404).end('gone'),
    3: (response) => response.writeHead(403).end('no'),
    4: (response) =>
      response
        .writeHead(200, { 'Content-Type': 'image/svg+xml' })
        .end('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    5: (response) => response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end('<!doctype html>'),
    6: (response) => response.writeHead(302, { Location: 'ftp://source.example/a.jpg' }).end(),
    7: (response) => response.writeHead(302, { Location: 'http://0.0.0.0.nip.example/a' }).end(),
    8: (response) => {
      const send = () => void (response.destroyed || response.write(large, () => setImmediate(send)));
      send();
    },
    10: () => {},
  };
  const service = await openCovers(onTestFinished, { SOURCE_TIMEOUT: '1s' }, (index, response) => {
    answers[index]?.(response);
    return answers[index] !== undefined;
  });
  const failed = Object.keys(answers).length;
  await untilTried(service, COUNT - failed, failed);
  const ready = await service.json('/readyz');
  expect(ready.source).toMatchObject({ state: 'ok', reason: null });
  const { data } = (await service.json('/api/anime/home')).data;
  const ours = (data as OngoingAnime[]).map(({ image }, index) => [index, OWN.test(image)]);
  expect(ours).toEqual(data.map((_: unknown, index: number) => [index, answers[index] === undefined]));
  const page = await service.get('/?lang=en');
  expect(page.headers.get('content-security-policy')).toContain(
    `img-src 'self' data: ${service.source.origin};`,
  );
  expect(service.failures).toEqual([]);
});

test('a host that refuses pictures is left alone, and everything else stays as it was', async () => {
  const service = await openCovers(onTestFinished, {}, (_index, response) =>
    Boolean(response.writeHead(403).end()),
  );
  await untilTried(service, 0, 3);
  expect((await service.json('/readyz')).covers).toEqual({ known: 0, missing: COUNT - 3, failed: 3 });
  expect((await service.json('/readyz')).source.state).toBe('ok');
  const { data } = (await service.json('/api/anime/home')).data;
  expect(data.map(({ image }: OngoingAnime) => new URL(image).pathname)).toEqual(service.images);
  expect(await (await service.get('/?lang=en')).text()).toContain('Covers come directly from the source');
});

test('while the store cannot be read, no cover is said to be missing', async () => {
  const service = await openCovers(onTestFinished);
  const store = path.join(service.env.DATA_DIR, 'cache.sqlite');
  await rename(store, `${store}.away`);
  await mkdir(store);
  const response = await service.get('/covers/naga-0123456789abcdef.jpg');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
});

test('with COVERS=off, covers come from the source', async () => {
  const service = await openCovers(onTestFinished, { COVERS: 'off' });
  const { data } = (await service.json('/api/anime/home')).data;
  expect(data.map(({ image }: OngoingAnime) => new URL(image).pathname)).toEqual(service.images);
  expect((await service.json('/readyz')).covers).toEqual({ known: 0, missing: 0, failed: 0 });
  expect((await service.get('/covers/naga-0123456789abcdef.jpg')).status).toBe(404);
  expect(service.referers).toEqual([]);
});
