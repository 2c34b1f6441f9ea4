import { randomBytes } from 'node:crypto';
import Koa from 'koa';
import { expect, onTestFinished, test } from 'vitest';
import { errorBody } from '../../../src/http/middleware/error-body.ts';
import { limitDownloads } from '../../../src/http/uploads/limit-concurrency.ts';
import { openHttpServer } from '../../support/http-server.ts';
import { MB, openUploads, send, sendUnread } from '../../support/upload-client.ts';

/** Serves something large behind these limits. */
function openLimited(maxPerAddress: number, maxTotal: number): Promise<string> {
  const app = Object.assign(new Koa(), { silent: true }).use(errorBody(() => {}));
  app.use((ctx, next) => {
    ctx.request.ip = ctx.get('X-Address');
    return next();
  });
  app.use(limitDownloads({ maxPerAddress, maxTotal }));
  app.use((ctx) => {
    if (ctx.path === '/small') ctx.status = 304;
    else ctx.body = Buffer.alloc(20 * MB);
  });
  return openHttpServer(onTestFinished, app.callback());
}

const from = (address: string) => ({ headers: { 'X-Address': address } });

test('an address has a limited number of concurrent downloads, and so have all together', async () => {
  const origin = await openLimited(2, 3);
  const unread = [await sendUnread(origin, from('192.0.2.1')), await sendUnread(origin, from('192.0.2.1'))];
  const refused = await send(origin, from('192.0.2.1'));
  expect(refused.status).toBe(429);
  expect(refused.json()).toEqual({ status: false, message: expect.stringContaining('2 downloads') });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);

  unread.push(await sendUnread(origin, from('192.0.2.2')));
  const full = await send(origin, from('192.0.2.3'));
  expect(full.status).toBe(503);
  expect(Number(full.headers['retry-after'])).toBeGreaterThan(0);

  for (const response of unread) response.on('error', () => {}).destroy();
  await expect.poll(async () => (await send(origin, { method: 'HEAD' })).status).toBe(200);
});

test('downloads do not count once they have ended, whatever their status', async () => {
  const origin = await openLimited(1, 1);
  for (const path of ['/', '/small', '/', '/small'])
    for (const method of ['GET', 'HEAD'])
      expect((await send(origin, { method, path })).status).toBe(path === '/' ? 200 : 304);
});

test('64 downloads that nobody reads take limited memory, and their descriptors are closed with their connections', async () => {
  const uploads = await openUploads(onTestFinished);
  const { file } = await uploads.upload(randomBytes(12 * MB), { name: 'a.bin' });
  const before = process.memoryUsage().arrayBuffers;
  const open = () => uploads.sendUnread({ path: file });
  const unread = await Promise.all(Array.from({ length: 64 }, open));
  expect((await uploads.send({ path: file })).status).toBe(429);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * MB);
  for (const response of unread) response.on('error', () => {}).destroy();
  await expect.poll(uploads.held).toHaveLength(0);
  expect(uploads.failures).toEqual([]);
});
