import { spawnSync } from 'node:child_process';
import { beforeAll, expect, test, vi } from 'vitest';
import { createClient } from '../support/client.ts';
import { describeWith } from '../support/needs.ts';
import { openNewsService } from '../support/news.ts';
import { startNginx, startVarnish } from '../support/proxies.ts';
import { openOrigin, readAsMany } from '../support/readers.ts';
import { untilEnd } from '../support/until-end.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const CACHES = [
  { name: 'nginx', start: startNginx, isThere: spawnSync('nginx', ['-v']).error === undefined },
  { name: 'Varnish', start: startVarnish, isThere: spawnSync('varnishd', ['-V']).error === undefined },
];
const AMOUNT = 8_000;

for (const { name, start, isThere } of CACHES)
  describeWith(isThere, name)(`${name} as a cache, as deploy/ configures it,`, () => {
    const defer = untilEnd();
    let service: Awaited<ReturnType<typeof openNewsService>>;
    let origin: Awaited<ReturnType<typeof openOrigin>>;
    let ask: ReturnType<typeof createClient>;
    let front: string;
    let slugs: string[];

    beforeAll(async () => {
      service = await openNewsService(defer);
      service.airEpisode();
      service.airEpisode(1);
      await service.refreshUntil(2);
      slugs = service.source.catalogue.anime.slice(0, 20).map(({ slug }) => slug);
      origin = await openOrigin(service.listing, defer);
      front = (await start([{ listing: origin.address, uploads: service.listing }], defer)).listing;
      ask = createClient(front);
    });

    test('answers each reader as the service does, from a copy the second time', async () => {
      const direct = createClient(service.listing);
      const paths = [
        '/',
        `/anime/${slugs[0]}`,
        '/?lang=en',
        '/api/anime',
        '/api/anime/home?page=2',
        '/feeds/episodes.atom',
      ];
      const cursors = ['', '?since=0', '?since=1', '?since=2', '?since=1&epoch=0'];
      paths.push(
        ...cursors.map((query) => `/api/anime/events${query}`),
        '/feeds/schedule.ics?slug=nothing',
        '/api/anime/nothing',
      );
      for (const path of paths)
        for (const language of ['id', 'en-US,en;q=0.5', 'en;q=0.1,id;q=0.2', 'ja'])
          for (const encoding of [
            'gzip, deflate, br, zstd',
            'gzip, deflate',
            'gzip;q=1, br;q=0.5',
            'br;q=0',
            '',
          ]) {
            const headers = { 'Accept-Language': language, 'Accept-Encoding': encoding };
            const expected = await direct({ path, headers });
            for (const round of ['first', 'second']) {
              const answer = await ask({ path, headers });
              const what = [path, language, encoding, round].join(' | ');
              expect([what, answer.status, answer.headers.etag]).toEqual([
                what,
                expected.status,
                expected.headers.etag,
              ]);
              expect(answer.headers['content-type'], what).toBe(expected.headers['content-type']);
              if (expected.status === 200) expect(answer.body.equals(expected.body), what).toBe(true);
              const { etag = '' } = answer.headers;
              const known = etag && (await ask({ path, headers: { ...headers, 'If-None-Match': etag } }));
              if (known) expect([what, known.status]).toEqual([what, 304]);
            }
          }
    });

    test('keeps at least 95 of 100 requests of many readers from the service', async () => {
      const before = origin.requests;
      expect(await readAsMany(front, slugs, AMOUNT)).toBe(0);
      expect((origin.requests - before) / AMOUNT).toBeLessThan(0.05);
    });

    test('lets a stream of events pass at once', async () => {
      const { body, headers } = await fetch(`${front}/api/anime/events/stream`);
      expect(headers.get('content-type')).toMatch(/^text\/event-stream/u);
      const { value } = await body!.getReader().read();
      expect(String(Buffer.from(value!))).toContain('retry: ');
    });

    test('shows what is new after the life of a copy, and copies alone while the service is away', async () => {
      // Other addresses than above: what is there lives for a minute.
      const home = { path: '/api/anime/home?page=1' };
      origin.maxAgeSeconds = 1;
      const old = await ask(home);
      service.airEpisode();
      await service.refreshUntil(3);
      await expect
        .poll(async () => (await ask(home)).headers.etag, { timeout: 20_000 })
        .not.toBe(old.headers.etag);
      const events = { path: '/api/anime/events?since=2' };
      const last = async () => JSON.parse(String((await ask(events)).body)).data.last;
      await expect.poll(last, { timeout: 20_000 }).toBe(3);
      const current = await ask(home);
      origin.isDown = true;
      // An answer to "what is new" is never an old one.
      await expect
        .poll(async () => (await ask(events)).status, { timeout: 20_000 })
        .toBeGreaterThanOrEqual(500);
      expect((await ask(home)).body.equals(current.body)).toBe(true);
      origin.isDown = false;
      await expect.poll(async () => (await ask(events)).status, { timeout: 20_000 }).toBe(200);
    });
  });
