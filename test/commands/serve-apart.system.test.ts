import { expect, onTestFinished, test } from 'vitest';
import { readJson, startServe, temporaryFolder } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';

const defer = onTestFinished;
/** Starts `serve` with some of the jobs, and the operator's listener. */
const start = (SERVE: string, environment: Record<string, string>) =>
  startServe({ SERVE, METRICS_PORT: '0', ...environment }, defer);

test('each job runs in a process of its own, and one serves what another has crawled', async () => {
  const source = await openTestSource(defer);
  const environment = { SOURCE_URLS: source.origin, DATA_DIR: await temporaryFolder(defer) };
  const listing = await start('listing', environment);
  const uploads = await start('uploads', environment);
  expect((await fetch(`${listing.address}/api/anime/home`)).status).toBe(503);
  expect(source.requests).toEqual([]);

  const crawler = await start('refresh', environment);
  await expect.poll(() => fetch(`${listing.address}/api/anime/home`)).toMatchObject({ status: 200 });
  const threads = await Promise.all(
    [listing, uploads, crawler].map(async ({ operations }) =>
      Object.keys((await readJson(fetch(`${operations}/readyz`))).threads),
    ),
  );
  expect(threads).toEqual([['crawler'], ['uploads'], ['crawler']]);
  const servers = [listing, uploads, crawler].map(({ output }) => output().match(/\w+(?= listening on)/gu));
  expect(servers).toEqual([['listing'], ['uploads'], null]);

  const body = new FormData();
  body.set('file', new File(['naga'], 'naga.txt'));
  const { result } = await readJson(fetch(`${uploads.address}/upload`, { method: 'POST', body }));
  const file = new URL(new URL(result.url_file).pathname, uploads.address);
  expect(await (await fetch(file)).text()).toBe('naga');
  for (const { operations } of [listing, uploads, crawler])
    expect((await fetch(`${operations}/readyz`)).status).toBe(200);
});

test.each(['uploads', 'listing', 'refresh', 'listing,uploads,refresh'])(
  'the first start of SERVE=%s, whose folders are not there yet, logs no error',
  async (SERVE) => {
    const source = await openTestSource(defer);
    const DATA_DIR = await temporaryFolder(defer);
    const places = {
      CACHE_URL: `sqlite:${DATA_DIR}/a/b/c/d/store/cache.sqlite`,
      UPLOAD_STORAGE_URL: `file:${DATA_DIR}/a/b/c/d/e/f/uploads`,
    };
    const serve = await start(SERVE, { SOURCE_URLS: source.origin, DATA_DIR, ...places });
    await expect.poll(() => fetch(`${serve.operations}/healthz`)).toMatchObject({ status: 200 });
    serve.kill('SIGTERM');
    expect(await serve.ended).toBe(0);
    const levels = serve
      .output()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).level);
    expect(levels.length).toBeGreaterThan(0);
    expect(levels.filter((level) => level > 30)).toEqual([]);
  },
);
