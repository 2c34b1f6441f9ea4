import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa from 'koa';
import { expect, onTestFinished, test } from 'vitest';
import { errorBody } from '../../../src/http/middleware/error-body.ts';
import { createLocales } from '../../../src/http/uploads/locale.ts';
import { enforceMinRate } from '../../../src/http/uploads/min-upload-rate.ts';
import { uploadAddresses } from '../../../src/http/uploads/present-upload.ts';
import { receiveUpload } from '../../../src/http/uploads/receive-upload.ts';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import type { Storage } from '../../../src/uploads/storage.ts';
import { createUploads } from '../../../src/uploads/uploads.ts';
import { openHttpServer } from '../../support/http-server.ts';
import { openQuota } from '../../support/quota.ts';
import { temporaryFolder } from '../../support/service.ts';
import {
  filePart,
  filesIn,
  heldIn,
  KB,
  MB,
  multipart,
  openSocket,
  postHead,
} from '../../support/upload-client.ts';

const BODY = multipart(filePart('a.bin', randomBytes(150 * KB)));
const SLOWEST = { minBytesPerSecond: 100 * KB, graceMs: 200 };

const SOMEBODY = { owner: 'somebody', address: '203.0.113.7' };

/** Serves the real route with a short grace period. */
async function openWithShortGrace(slowness: (storage: Storage) => Partial<Storage> = () => ({})) {
  const folder = await temporaryFolder(onTestFinished);
  const storage = await openDiskStorage(folder);
  onTestFinished(() => storage.close());
  const quota = await openQuota({ totalBytes: MB, ownerBytes: MB });
  const limits = { maxBytes: MB, ttlMs: 60_000, now: Date.now, steadyNow: Date.now, ...SLOWEST };
  const slow = { ...storage, ...slowness(storage) };
  const uploads = createUploads({ storage: slow, quota, ...limits, report: () => {} });
  const addresses = uploadAddresses('http://localhost');
  const app = new Koa().use(errorBody(() => {}));
  const localeOf = createLocales('UTC');
  const shown = { addresses, formatTime: String, localeOf };
  app.use(receiveUpload({ uploads, ...shown, ...limits, senderOf: () => SOMEBODY }));
  return { origin: await openHttpServer(onTestFinished, app.callback()), folder, quota };
}

/** Sends the body at this rate until it ends or the connection is closed. */
async function sendSlowly(origin: string, bytesPerSecond: number) {
  const { socket, received } = await openSocket(origin);
  let isClosed = false;
  socket.on('close', () => {
    isClosed = true;
  });
  socket.write(postHead({ 'Content-Length': BODY.length }));
  const begun = performance.now();
  for (let sent = 0; sent < BODY.length && !isClosed; await sleep(10)) {
    const due = Math.min(BODY.length, Math.ceil(((performance.now() - begun) * bytesPerSecond) / 1_000));
    socket.write(BODY.subarray(sent, due));
    sent = due;
  }
  return { socket, received, isClosed: () => isClosed, tookMs: performance.now() - begun };
}

test('a sender that is too slow is cut off, and its files and its space are released', async () => {
  const { origin, folder, quota } = await openWithShortGrace();
  const { isClosed, received, tookMs } = await sendSlowly(origin, 60 * KB);
  expect(isClosed()).toBe(true);
  expect(tookMs).toBeGreaterThan(150);
  expect(received()).not.toContain('200 OK');
  await expect.poll(() => heldIn(folder)).toHaveLength(0);
  await expect.poll(() => filesIn(folder)).toHaveLength(0);
  await expect.poll(() => quota.stored().bytes).toBe(0);
});

test('a sender above the minimum rate succeeds, however long it takes', async () => {
  const { origin, folder } = await openWithShortGrace();
  const { received, tookMs } = await sendSlowly(origin, 160 * KB);
  expect(tookMs).toBeGreaterThan(4 * SLOWEST.graceMs);
  await expect.poll(received).toMatch(/^HTTP\/1\.1 200 OK/u);
  expect(await filesIn(folder)).toHaveLength(1);
});

test('bytes that arrive while the process is busy count', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const origin = await openHttpServer(onTestFinished, (request) => {
    const unwatch = enforceMinRate(request, SLOWEST, resolve);
    request.on('close', () => reject(new Error('the sender was cut off'))).resume();
    onTestFinished(unwatch);
    socket.write(BODY);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * SLOWEST.graceMs);
  });
  const { socket } = await openSocket(origin);
  socket.write(postHead({ 'Content-Length': BODY.length }));
  expect(await promise).toBeGreaterThan(0);
});

test('a sender that has sent everything is not cut off while it waits for the response', async () => {
  const handle = async (request: IncomingMessage) => {
    const limits = { ...SLOWEST, maxBytes: MB };
    const unwatch = enforceMinRate(request, limits, () => {});
    await once(request, 'end');
    await sleep(3 * SLOWEST.graceMs);
    unwatch();
  };
  const origin = await openHttpServer(
    onTestFinished,
    (request, response) => void handle(request).then(() => response.end('done')),
  );
  const response = await fetch(origin, { method: 'POST', body: 'short' });
  expect(await response.text()).toBe('done');
});

test('a sender that has to wait for a slow storage is not cut off', async () => {
  const { origin, folder } = await openWithShortGrace((storage) => ({
    async stage(stream, options) {
      await sleep(4 * SLOWEST.graceMs);
      return storage.stage(stream, options);
    },
  }));
  const body = multipart(filePart('a.bin', randomBytes(MB - 200 * KB)));
  const { socket, received } = await openSocket(origin);
  socket.write(postHead({ 'Content-Length': body.length }));
  socket.write(body);
  await expect.poll(received).toMatch(/^HTTP\/1\.1 200 OK/u);
  expect(await filesIn(folder)).toHaveLength(1);
});
