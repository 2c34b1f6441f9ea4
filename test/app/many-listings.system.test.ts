import { expect, onTestFinished, test, vi } from 'vitest';
import { describeWithRedis, openTestRedis } from '../support/redis.ts';
import { runCommand, startServe, temporaryFolder } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';

vi.setConfig({ testTimeout: 60_000 });

const PROCESSES = 3;

describeWithRedis('processes that only serve the listing, on one Redis,', () => {
  test('have the same bytes and tags, soon after a change too', async () => {
    const source = await openTestSource(onTestFinished);
    const redis = (await openTestRedis(onTestFinished)).url();
    const shared = { CACHE_URL: redis, SOURCE_URLS: source.origin, BASE_URL: 'https://anime.example.org' };
    const open = async () => ({ ...shared, DATA_DIR: await temporaryFolder(onTestFinished) });
    const refresh = async () => runCommand(['refresh'], await open(), onTestFinished).ended;
    expect(await refresh()).toBe(0);
    const starting = Array.from({ length: PROCESSES }, async () =>
      startServe({ ...(await open()), SERVE: 'listing' }, onTestFinished),
    );
    const origins = (await Promise.all(starting)).map(({ address }) => address);
    const { anime } = source.catalogue;
    const paths = [
      ...[
        '/',
        '/?lang=en',
        '/feeds/episodes.atom',
        '/feeds/episodes.json',
        '/feeds/schedule.ics',
        '/openapi.json',
      ],
      ...[
        '',
        '/schedule',
        '/home',
        '/home?page=2',
        '/upcoming',
        '/releases',
        '/events',
        '/events?since=1',
      ].map((path) => `/api/anime${path}`),
      ...anime
        .slice(0, 10)
        .flatMap(({ slug }) => [`/api/anime/${slug}`, `/anime/${slug}`, `/otakudesu/anime/${slug}`]),
    ];

    /** What each process answers. */
    const readAll = () =>
      Promise.all(origins.map((origin) => Promise.all(paths.map((path) => read(origin + path)))));
    const [first, ...others] = await readAll();
    for (const other of others) expect(other).toEqual(first);

    anime[0]!.episode += 1;
    anime[3]!.day = 'Kamis';
    expect(await refresh()).toBe(0);
    await expect
      .poll(
        async () => {
          const [one, ...rest] = await readAll();
          return (
            JSON.stringify(one) !== JSON.stringify(first) &&
            rest.every((other) => JSON.stringify(other) === JSON.stringify(one))
          );
        },
        { timeout: 30_000, interval: 100 },
      )
      .toBe(true);
  });
});

async function read(url: string) {
  const response = await fetch(url);
  return [new URL(url).pathname, response.status, response.headers.get('etag'), await response.text()];
}
