import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import { errorBody } from '../../../src/http/middleware/error-body.ts';
import { openServer } from '../../../src/http/server.ts';
import { fileRoutes } from '../../../src/http/uploads/files.ts';
import { limitDownloads } from '../../../src/http/uploads/limit-concurrency.ts';
import { createLocales } from '../../../src/http/uploads/locale.ts';
import { uploadAddresses } from '../../../src/http/uploads/present-upload.ts';
import type { Uploads } from '../../../src/uploads/uploads.ts';
import { MB, openUploads, send, sendUnread } from '../../support/upload-client.ts';
import { describeUpload, newId } from '../../support/uploads.ts';

const ID = newId(Date.UTC(2100, 0));

/** Serves the routes of files for uploads with one text, which may be removed. */
async function serveText(text: string, limits = { maxPerAddress: 100, maxTotal: 100 }) {
  const held = { reads: 0, isGone: false };
  const bytes = Buffer.from(text);
  const description = describeUpload(
    { size: bytes.length, sha256: 'ab' },
    { mediaType: 'text/plain; charset=utf-8' },
  );
  const read = async () => {
    held.reads += 1;
    return bytes;
  };
  const find = async () => {
    if (held.isGone) throw new AppError('not-found', 'there is no such file');
    return { description, read };
  };
  const uploads = { find } as unknown as Uploads;
  const addresses = uploadAddresses('http://localhost');
  const localeOf = createLocales('UTC');
  const files = fileRoutes({ uploads, addresses, formatTime: String, localeOf, now: Date.now });
  const router = new Router();
  const addressOf = (ctx: Koa.Context) => ctx.get('X-Address');
  router.get('/f/:name', limitDownloads(limits, addressOf), files.sendFile);
  router.get('/:id', files.showFile);
  const server = await openServer({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close(0));
  server.serve(
    Object.assign(new Koa(), { silent: true })
      .use(errorBody(() => {}))
      .use(router.routes())
      .callback(),
  );
  return { origin: server.address, held };
}

test('the page of a text is rendered once for many requests', async () => {
  const { origin, held } = await serveText('halo dunia');
  const pages = await Promise.all(Array.from({ length: 20 }, () => send(origin, { path: `/${ID}` })));
  const later = await send(origin, { path: `/${ID}` });
  expect(new Set([...pages, later].map(({ text }) => text)).size).toBe(1);
  expect(later.text).toContain('halo dunia');
  const before = held.reads;
  await send(origin, { path: `/${ID}` });
  expect(held.reads).toBe(before);
});

test('a rendered page is 404 once its file is removed', async () => {
  const { origin, held } = await serveText('halo dunia');
  expect((await send(origin, { path: `/${ID}` })).status).toBe(200);
  held.isGone = true;
  expect((await send(origin, { path: `/${ID}` })).status).toBe(404);
});

test('an address has a limited number of concurrent downloads', async () => {
  const { origin } = await serveText('x'.repeat(20 * MB), { maxPerAddress: 2, maxTotal: 3 });
  const open = (address: string) =>
    sendUnread(origin, { path: `/f/${ID}.png`, headers: { 'X-Address': address } });
  const unread = [await open('192.0.2.1'), await open('192.0.2.1')];
  const refused = await send(origin, { path: `/f/${ID}.png`, headers: { 'X-Address': '192.0.2.1' } });
  expect(refused.status).toBe(429);
  expect(refused.json()).toEqual({ status: false, message: expect.stringContaining('2 downloads') });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);

  unread.push(await open('192.0.2.2'));
  const full = await send(origin, { path: `/f/${ID}.png`, headers: { 'X-Address': '192.0.2.3' } });
  expect(full.status).toBe(503);
  expect(Number(full.headers['retry-after'])).toBeGreaterThan(0);

  for (const response of unread) response.on('error', () => {}).destroy();
  const again = async () => (await send(origin, { method: 'HEAD', path: `/f/${ID}.png` })).status;
  await expect.poll(again).toBe(200);
});

test('concurrent downloads are limited for an IPv6 /64, and to eight times as many for its /48', async () => {
  const { origin } = await serveText('x'.repeat(20 * MB), { maxPerAddress: 1, maxTotal: 100 });
  const ask = (network: number) => ({
    path: `/f/${ID}.png`,
    headers: { 'X-Address': `2001:db8:0:${network}::1` },
  });
  const unread = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((network) => sendUnread(origin, ask(network))));
  expect((await send(origin, ask(1))).status).toBe(429);
  unread.push(await sendUnread(origin, ask(8)));
  expect((await send(origin, ask(9))).status).toBe(429);
  for (const response of unread) response.on('error', () => {}).destroy();
});

test('downloads do not count once they have ended, whatever their status', async () => {
  const { origin } = await serveText('x', { maxPerAddress: 1, maxTotal: 1 });
  for (let round = 0; round < 10; round += 1) {
    const path = round % 3 === 0 ? `/f/${ID}.wrong` : `/f/${ID}.png`;
    const method = round % 2 === 0 ? 'GET' : 'HEAD';
    const answer = await send(origin, {
      method,
      path,
      headers: { 'If-None-Match': round === 4 ? '*' : '"x"' },
    });
    expect([200, 304, 404]).toContain(answer.status);
  }
});

test('64 downloads that nobody reads take limited memory, and their descriptors are closed with their connections', async () => {
  const uploads = await openUploads(onTestFinished);
  const { file } = await uploads.upload(randomBytes(12 * MB), { name: 'a.bin' });
  const before = process.memoryUsage().arrayBuffers;
  const open = () => uploads.sendUnread({ path: file });
  const unread: IncomingMessage[] = await Promise.all(Array.from({ length: 64 }, open));
  expect((await uploads.send({ path: file })).status).toBe(429);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * MB);
  for (const response of unread) response.on('error', () => {}).destroy();
  await expect.poll(uploads.held).toHaveLength(0);
});
