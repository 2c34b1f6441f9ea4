import { expect, onTestFinished, test } from 'vitest';
import { openReadyService, readJson } from '../support/service.ts';
import { send } from '../support/upload-client.ts';

test('a service that stops says so at each /readyz, answers as before, and ends streams and connections', async () => {
  const environment = { SHUTDOWN_DELAY: '5s', METRICS_PORT: '0' };
  const { listing, uploads, operations, stop } = await openReadyService(onTestFinished, environment);
  const stream = await fetch(`${listing}/api/anime/events/stream`);
  expect((await fetch(`${uploads}/readyz`)).status).toBe(200);
  const stopped = stop();
  await stream.text();
  for (const origin of [listing, uploads, operations!]) {
    const { status, headers } = await send(origin, { path: '/readyz' });
    expect([origin, status, headers.connection]).toEqual([origin, 503, 'close']);
  }
  expect(await readJson(fetch(`${listing}/readyz`))).toMatchObject({ status: false, snapshot: null });
  const late = await fetch(`${listing}/api/anime/events/stream`);
  expect([late.status, await late.text()]).toEqual([200, expect.stringContaining('id: ')]);
  expect((await fetch(`${listing}/api/anime/home`)).headers.get('connection')).toBe('close');
  await stopped;
  await expect(fetch(`${uploads}/readyz`)).rejects.toThrow();
});
