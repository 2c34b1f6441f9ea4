import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  eventually,
  openTestService,
  openThreadedService,
  readJson,
  temporaryFolder,
} from './support/service.ts';

type TestService = Awaited<ReturnType<typeof openTestService>>;

describe('the listing', () => {
  let service: TestService;
  const get = (path: string, init?: RequestInit) => fetch(service.address + path, init);

  beforeAll(async () => {
    service = await openThreadedService(afterAll);
    await service.ready();
  });

  test('answers with exactly the keys of the contract', async () => {
    const schedule = await readJson(get('/api/anime/schedule'));
    expect(Object.keys(schedule)).toEqual(['status', 'data']);
    expect(schedule.data.map((group: { day: string }) => group.day)).toEqual(
      'Senin Selasa Rabu Kamis Jumat Sabtu Minggu Random'.split(' '),
    );
    expect(Object.keys(schedule.data[0])).toEqual(['day', 'animeList']);
    expect(Object.keys(schedule.data[0].animeList[0])).toEqual(['title', 'slug']);

    const home = await readJson(get('/api/anime/home?page=6'));
    expect(Object.keys(home.data)).toEqual(['currentPage', 'maxPage', 'hasNextPage', 'hasPrevPage', 'data']);
    expect(home.data).toMatchObject({ currentPage: 6, maxPage: 6, hasNextPage: false, hasPrevPage: true });
    expect(Object.keys(home.data.data[0])).toEqual(['title', 'episode', 'day', 'date', 'image', 'slug']);
  });

  test('serves every anime of the source once, in its order', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(async (page) => readJson(get(`/api/anime/home?page=${page}`))),
    );
    expect(pages.map(({ data }) => data.data.length)).toEqual([25, 25, 25, 25, 25, 7]);
    const { catalogue } = service.source;
    expect(pages.flatMap(({ data }) => data.data.map(({ slug }: { slug: string }) => slug))).toEqual(
      catalogue.anime.map(({ slug }) => slug),
    );
  });

  test('causes no request to the source, whatever the requests are', async () => {
    const before = service.source.requests.length;
    for (let round = 0; round < 6; round += 1) {
      const queries = Array.from(
        { length: 50 },
        () => `?x${Math.random()}=${Math.random()}&page=${1 + round}`,
      );
      const responses = await Promise.all(queries.map((query) => get(`/api/anime/home${query}`)));
      expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
      await Promise.all(responses.map((response) => response.arrayBuffer()));
    }
    expect(service.source.requests.length).toBe(before);
  });

  test.each(['', '0', '-1', '+1', '1.5', '01', '1e1', 'x', '%20', '1&page=1'])(
    'answers page=%s with 400 and the range',
    async (page) => {
      const response = await get(`/api/anime/home?page=${page}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        status: false,
        message: expect.stringContaining('from 1 to 6'),
      });
    },
  );

  test.each(['7', '99999999999999999999999'])('answers page=%s with 404 and the range', async (page) => {
    const response = await get(`/api/anime/home?page=${page}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ status: false, message: expect.stringContaining('from 1 to 6') });
  });

  test.each([
    ['/api/anime/schedule', 3_600 + 60],
    ['/api/anime/home', 180 + 18],
  ])('sends the freshness headers of %s', async (path, maxTtl) => {
    const { headers } = await get(path);
    expect(headers.get('cache-control')).toBe(
      'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400',
    );
    const [, ttl] = /^tayang; hit; ttl=(\d+); detail=ok$/u.exec(headers.get('cache-status') ?? '') ?? [];
    expect(Number(ttl)).toBeLessThanOrEqual(maxTtl);
  });

  test('answers HEAD with the headers of GET and no body', async () => {
    const options = { headers: { 'accept-encoding': 'identity' } };
    const head = await get('/api/anime/home', { ...options, method: 'HEAD' });
    const body = await (await get('/api/anime/home', options)).arrayBuffer();
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(body.byteLength));
    expect((await head.arrayBuffer()).byteLength).toBe(0);
  });

  test('allows pages of all origins, and answers their preflight requests', async () => {
    const preflight = await get('/api/anime/home', {
      method: 'OPTIONS',
      headers: { origin: 'https://example.org' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    const { headers } = await get('/api/anime/home');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toBe(
      'ETag, Cache-Status, Retry-After, RateLimit, RateLimit-Policy',
    );
  });

  test.each(['/api/anime/', '/api/anime/schedule/', '/API/anime/schedule', '/%', '//'])(
    'answers %s with 404',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect((await readJson(response)).status).toBe(false);
    },
  );

  test('answers a browser with errors as pages, with the path escaped', async () => {
    const response = await get('/<script>', {
      headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).not.toContain('<script>');
  });
});

describe('a service without a snapshot', () => {
  test('answers 503 at once, with Retry-After', async () => {
    const { address, source } = await openTestService(onTestFinished, {}, () => true);
    const response = await fetch(`${address}/api/anime/schedule`);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ status: false, message: expect.stringContaining('try again') });
    expect((await fetch(`${address}/readyz`)).status).toBe(503);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    expect(source.requests.length).toBeLessThanOrEqual(1);
  });

  test('sends no request to the source when refreshing is off', async () => {
    const { address, source } = await openTestService(onTestFinished, { REFRESH_CRON: 'off' });
    expect(await readJson(fetch(`${address}/readyz`))).toEqual({
      status: false,
      source: {
        ...{ state: null, since: null, reason: null, nextAttempt: null, pending: null, repaired: [] },
        details: { known: 0, missing: 0, failed: 0 },
        readAt: null,
        unchangedSince: null,
      },
      dependencies: { store: 'ok', storage: 'ok', limiter: 'absent', scanner: 'absent' },
      storage: { state: 'ok', reason: null },
      broadcasts: { state: 'absent', readAt: null },
      covers: { known: 0, missing: 0, failed: 0 },
      snapshot: null,
      store: {
        ...{ state: 'ok', since: expect.any(String), reason: null, damagedAt: null },
        writable: expect.toBeOneOf([null, true]),
      },
      webhooks: [],
      threads: { crawler: expect.any(Object), uploads: expect.any(Object) },
    });
    expect(source.requests).toEqual([]);
  });

  test('answers 503 with the reason of the failed first crawl, which is in /readyz too, and Retry-After until the next attempt', async () => {
    const { address } = await openTestService(onTestFinished, {}, (_request, response) => {
      response.writeHead(403).end('<html>Forbidden</html>');
      return true;
    });
    let askedAt = 0;
    const ask = (headers = {}) => {
      askedAt = Date.now();
      return fetch(`${address}/api/anime/schedule`, { headers });
    };
    const answer = await eventually(ask, ({ headers }) => Number(headers.get('retry-after')) > 10);
    const earliest = askedAt;
    const latest = Date.now();
    expect(answer.status).toBe(503);
    const { source } = await readJson(fetch(`${address}/readyz`));
    expect(source).toMatchObject({ state: 'blocked', reason: expect.stringContaining('SOURCE_PROXY') });
    expect(Date.parse(source.nextAttempt) - Date.now()).toBeLessThanOrEqual(30_000);
    const { status, message } = await readJson(answer);
    expect(status).toBe(false);
    const [, at = ''] =
      /^the first crawl failed: .*SOURCE_PROXY.*; the next attempt is at (\d{4}-[^;]+)/u.exec(message) ?? [];
    const waitMs = 1_000 * Number(answer.headers.get('retry-after'));
    // A crawl takes about ten seconds. The message and the header have whole seconds.
    const readyAt = Date.parse(at) + 10_000;
    expect(earliest + waitMs).toBeLessThan(readyAt + 2_000);
    expect(latest + waitMs).toBeGreaterThan(readyAt - 2_000);
    const page = await (await ask({ accept: 'text/html', 'accept-language': 'en' })).text();
    expect(page).toContain('No schedule yet');
    expect(page).not.toContain('for the first time');
    for (const language of ['en', 'id']) {
      const shown = await (await ask({ accept: 'text/html', 'accept-language': language })).text();
      expect(shown).toContain(`<time datetime="${source.nextAttempt.slice(0, 16)}Z">`);
    }
  });
});

test('a service whose store file is damaged when it starts sets it aside, reports it without its path, and crawls', async () => {
  const DATA_DIR = await temporaryFolder(onTestFinished);
  await writeFile(path.join(DATA_DIR, 'cache.sqlite'), 'a letter to a friend\n'.repeat(10_000));
  const { address, ready } = await openTestService(onTestFinished, { DATA_DIR });
  await ready();
  const { store } = await readJson(fetch(`${address}/readyz`));
  const damagedAt = expect.stringMatching(/^\d{4}-/u);
  expect(store).toMatchObject({ state: 'ok', damagedAt, writable: true });
  expect(JSON.stringify(store)).not.toContain(DATA_DIR);
  const aside = (await readdir(DATA_DIR)).filter((name) => name.startsWith('cache.sqlite.damaged-'));
  expect(aside).toHaveLength(1);
});
