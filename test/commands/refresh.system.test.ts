import { chown, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refreshHere } from '../support/refresh-here.ts';
import { eventually, readJson, runCommand, startServe, temporaryFolder } from '../support/service.ts';
import { always, openTestSource } from '../support/source.ts';

const defer = onTestFinished;

async function open(environment: Record<string, string> = {}) {
  const source = await openTestSource(defer);
  const shared = {
    DATA_DIR: await temporaryFolder(defer),
    SOURCE_URLS: source.origin,
    SOURCE_TIMEOUT: '5s',
    ...environment,
  };
  const refresh = () => runCommand(['refresh'], shared, defer);
  return {
    source,
    shared,
    refresh,
    refreshHere: (force?: boolean) => refreshHere({ SOURCE_DELAY: '0', ...shared }, force),
  };
}

const NOBODY = 65_534;

describe('refresh', () => {
  test.runIf(process.getuid?.() === 0)(
    'as root leaves only what the owner of the folder can write, and nobody else can read',
    async () => {
      const folder = await temporaryFolder(defer);
      await chown(folder, NOBODY, NOBODY);
      const file = path.join(folder, 'made', 'data', 'cache.sqlite');
      const { refresh } = await open({ DATA_DIR: folder, CACHE_URL: `sqlite:${file}` });
      expect(await refresh().ended).toBe(0);
      const made = await readdir(folder, { recursive: true });
      const stats = await Promise.all(made.map((name) => stat(path.join(folder, name))));
      expect(stats.map(({ uid, gid }) => [uid, gid])).toEqual(made.map(() => [NOBODY, NOBODY]));
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    },
  );

  test('prints its progress in plain lines on a pipe, and then a summary', async () => {
    const { refresh } = await open();
    const run = refresh();
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('read ongoing page 6 (7/8)');
    expect(run.output()).toContain('8 pages: 132 anime, 54 entries in 8 groups');
    expect(run.output()).not.toContain('\x1b');
  });

  test('changes what a running server shows within 5 seconds', async () => {
    const { source, shared, refresh, refreshHere } = await open();
    await refreshHere();
    const { address } = await startServe({ ...shared, REFRESH_CRON: 'off' }, defer);
    const aired = source.catalogue.airNextEpisode(new Date());
    const run = refresh();
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain(`new episode: ${aired.title}, episode ${aired.episode}`);
    const first = await eventually(
      async () => (await readJson(fetch(`${address}/api/anime/home`))).data.data[0],
      ({ slug }) => slug === aired.slug,
    );
    expect(first.episode).toBe(aired.episode);
  });

  test('waits for a refresh of another process, and uses its result', async () => {
    // The first one waits for an answer until the second process has started.
    const { source, refresh, refreshHere } = await open({ SOURCE_TIMEOUT: '60s' });
    const held = Promise.withResolvers<void>();
    source.fault = (request, response) => {
      if (request.url !== '/ongoing-anime/page/6/') return false;
      source.fault = undefined;
      void held.promise.then(() => response.writeHead(503, { 'Retry-After': '0' }).end());
      return true;
    };
    const first = refreshHere();
    await expect.poll(() => source.requests.length).toBeGreaterThanOrEqual(7);
    const second = refresh();
    await second.printed(/another process is refreshing/u);
    held.resolve();
    expect((await first).exitCode).toBe(0);
    expect(await second.ended).toBe(0);
    expect(source.requests.filter((path) => path === '/jadwal-rilis/')).toHaveLength(1);
    expect(second.output()).toContain('by another process');
  });

  test('exits 1 with the reason when the crawl is not good, and ends', async () => {
    const { source, refreshHere } = await open({ SOURCE_TIMEOUT: '1s' });
    source.fault = () => true;
    const { exitCode, output } = await refreshHere();
    expect(exitCode).toBe(1);
    expect(output).toMatch(
      /no complete answer within 1000 ms\. There is no listing yet\. Run npm run doctor to check\.$/mu,
    );
  });

  test('refuses a challenge even when forced', async () => {
    const { source, refreshHere } = await open();
    source.fault = always(200, '<!doctype html><html><title>Just a moment...</title></html>');
    const { exitCode, output } = await refreshHere(true);
    expect(exitCode).toBe(1);
    expect(output).toContain('challenge');
  });

  test('refuses when the cache is in memory, where no other process would see the result', async () => {
    const { refreshHere } = await open({ CACHE_URL: 'memory:' });
    const { exitCode, output } = await refreshHere();
    expect(exitCode).toBe(1);
    expect(output).toContain('CACHE_URL=memory:');
  });
});
