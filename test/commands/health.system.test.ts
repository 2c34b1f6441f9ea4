import { expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../support/redis.ts';
import { runCommand, temporaryFolder } from '../support/service.ts';

const defer = onTestFinished;

/** Runs a service, and a health check with the same environment. */
async function start(environment: Record<string, string>) {
  const all = { REFRESH_CRON: 'off', DATA_DIR: await temporaryFolder(defer), ...environment };
  const serve = runCommand(['serve'], all, defer);
  const check = () => runCommand(['health'], all, defer).ended;
  return { serve, check };
}

const port = async () => String(await findFreePort());

test.each([
  ['the operator', 'refresh', 'METRICS_PORT', '127.0.0.1', /metrics and health at/u],
  ['the listing', 'listing', 'PORT', '0.0.0.0', /listing listening on/u],
  ['the uploads', 'uploads', 'UPLOAD_PORT', '::', /uploads listening on/u],
])('health asks the server of %s', async (_what, SERVE, variable, HOST, listening) => {
  const { serve, check } = await start({ SERVE, HOST, [variable]: await port() });
  await serve.printed(listening);
  expect(await check()).toBe(0);
  serve.kill('SIGKILL');
  await serve.ended;
  expect(await check()).toBe(1);
});

test('health asks the operator for METRICS_PORT where there is nothing to ask', async () => {
  const health = runCommand(['health'], { SERVE: 'refresh', DATA_DIR: await temporaryFolder(defer) }, defer);
  expect(await health.ended).toBe(1);
  expect(health.output()).toContain('set METRICS_PORT');
});
