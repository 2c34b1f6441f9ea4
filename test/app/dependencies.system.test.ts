import { expect, onTestFinished, test, vi } from 'vitest';
import { describeWithClamd, openTestClamd } from '../support/clamd.ts';
import { scrape } from '../support/metrics.ts';
import { describeWithRedis, openTestRedis } from '../support/redis.ts';
import { eventually, openTestService, readJson } from '../support/service.ts';

/** Daemons start slowly on a busy machine. */
vi.setConfig({ testTimeout: 60_000 });

const NAMES = ['store', 'storage', 'limiter', 'quota', 'scanner'];

const open = (environment: Record<string, string>) =>
  openTestService(onTestFinished, { METRICS_PORT: '0', REFRESH_CRON: 'off', ...environment });

/** The dependencies in `/readyz`, and those in the metrics that are down. */
async function ask(operations: string | null) {
  const { sample } = await scrape(operations);
  const { dependencies } = await readJson(fetch(`${operations}/readyz`));
  return {
    ...dependencies,
    down: NAMES.filter((name) => sample('tayang_dependency_up', { name }) === 0),
  };
}

const becomes = (operations: string | null, expected: object) =>
  eventually(
    async () => JSON.stringify(await ask(operations)),
    (state) => state === JSON.stringify(expected),
  );

describeWithRedis('the Redis of a process', () => {
  test.each(['kill', 'pause'] as const)('is down after %s, and ok afterwards', async (fault) => {
    const redis = await openTestRedis(onTestFinished);
    const url = redis.url();
    const { operations } = await open({ CACHE_URL: url, UPLOAD_LIMITER_URL: url });
    const up = { store: 'ok', storage: 'ok', limiter: 'ok', scanner: 'absent', down: [] };
    await becomes(operations, up);
    await redis[fault]();
    const down = ['store', 'limiter', 'quota'];
    await becomes(operations, { ...up, store: 'down', limiter: 'down', down });
    await (fault === 'kill' ? redis.start() : redis.resume());
    await becomes(operations, up);
  });
});

describeWithClamd('the scanner of a process', () => {
  test('is down while it does not answer, and ok afterwards', async () => {
    const clamd = await openTestClamd(onTestFinished);
    const { operations } = await open({ SERVE: 'uploads', UPLOAD_SCANNER_URL: clamd.url });
    const up = { store: 'absent', storage: 'ok', limiter: 'absent', scanner: 'ok', down: [] };
    await becomes(operations, up);
    clamd.pause();
    await becomes(operations, { ...up, scanner: 'down', down: ['scanner'] });
    clamd.resume();
    await becomes(operations, up);
    expect((await fetch(`${operations}/readyz`)).status).toBe(200);
  });
});
