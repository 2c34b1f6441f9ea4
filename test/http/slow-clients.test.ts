import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { errorBody } from '../../src/http/middleware/error-body.ts';
import { type Credit, MIN_RATE, nextCredit } from '../../src/http/server/min-rate.ts';
import { openServer } from '../../src/http/server.ts';
import { createLocales } from '../../src/http/uploads/locale.ts';
import { receiveUpload } from '../../src/http/uploads/receive-upload.ts';
import { uploadAddresses } from '../../src/http/uploads/upload-addresses.ts';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import type { Storage } from '../../src/uploads/storage.ts';
import { createUploads } from '../../src/uploads/uploads.ts';
import { openQuota } from '../support/quota.ts';
import { temporaryFolder } from '../support/service.ts';
import {
  filePart,
  filesIn,
  heldIn,
  KB,
  MB,
  multipart,
  openSocket,
  postHead,
} from '../support/upload-client.ts';

/** A simulated client that moves as much as the test says; `pass` returns whether it is still connected. */
function openFake(stepBytes = MIN_RATE.readStepBytes) {
  let credit: Credit | undefined;
  let isCutOff = false;
  let moved = 0;
  return {
    move(bytes: number) {
      moved += bytes;
    },
    /** Advances the time in steps of five seconds. */
    pass(seconds: number): boolean {
      for (let step = 0; step < seconds; step += 5) {
        credit = nextCredit(MIN_RATE, credit, moved, 5_000, stepBytes);
        isCutOff ||= credit !== undefined && credit.ms < 0;
      }
      return !isCutOff;
    },
  };
}

describe('a client that is waited for', () => {
  test('and moves nothing is cut off after its credit', () => {
    const [reader, sender] = [openFake(), openFake(0)];
    expect([reader.pass(90), sender.pass(30)]).toEqual([true, true]);
    expect([reader.pass(15), sender.pass(10)]).toEqual([false, false]);
  });

  test('at the minimum rate is never cut off, even in large steps', () => {
    const [smooth, inSteps] = [openFake(0), openFake()];
    for (let minute = 0; minute < 60; minute += 1) {
      inSteps.move(60 * 8 * KB);
      expect(inSteps.pass(60)).toBe(true);
      for (let step = 0; step < 12; step += 1) {
        smooth.move(5 * 8 * KB);
        expect(smooth.pass(5)).toBe(true);
      }
    }
  });

  test('fast and then not at all gets no additional credit', () => {
    const { move, pass } = openFake();
    for (let second = 0; second < 20; second += 5) {
      move(100 * MB);
      pass(5);
    }
    expect(pass(110)).toBe(false);
  });
});

const BODY = multipart(filePart('a.bin', randomBytes(400 * KB)));
const SLOWEST = { bytesPerSecond: 100 * KB, graceMs: 200, readStepBytes: KB };

/** `onClosed` gets the reason for which a connection was closed. */
async function open(listener: RequestListener, onClosed = (_reason: string) => {}): Promise<string> {
  const limits = { minRate: SLOWEST, checkEveryMs: 20, onClosed };
  const server = await openServer({ host: '127.0.0.1', port: 0 }, listener, limits);
  onTestFinished(() => server.close());
  return server.address;
}

test.each([
  ['a large document', Buffer.alloc(32 * MB)],
  ['a response in pieces', undefined],
])('a client that does not read %s is cut off', async (_what, body) => {
  const closed = Promise.withResolvers<string>();
  const origin = await open((_request, response) => {
    if (body) return void response.end(body);
    const write = (): void => void response.write(Buffer.alloc(64 * KB), (error) => error || write());
    write();
  }, closed.resolve);
  const { socket } = await openSocket(origin);
  socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await closed.promise).toBe('slow-reader');
});

/** Serves the route of uploads with a short credit. */
async function openUploads(slowness: (storage: Storage) => Partial<Storage> = () => ({})) {
  const folder = await temporaryFolder(onTestFinished);
  const storage = await openDiskStorage(folder);
  onTestFinished(() => storage.close());
  const quota = await openQuota({ totalBytes: MB, ownerBytes: MB });
  const limits = { maxBytes: MB, ttlMs: 60_000, now: Date.now, steadyNow: Date.now };
  const uploads = createUploads({
    ...{ storage: { ...storage, ...slowness(storage) }, quota, report: () => {} },
    ...limits,
  });
  const shown = { addresses: uploadAddresses('http://localhost'), formatTime: String };
  const app = new Koa().use(errorBody(() => {}));
  const locales = createLocales('UTC', null, Date.now);
  app.use(receiveUpload({ uploads, ...shown, ...limits, locales }));
  const reasons: string[] = [];
  const origin = await open(app.callback(), (reason) => reasons.push(reason));
  return { origin, folder, quota, reasons };
}

/** Sends the body at this rate until it ends or the connection is closed. */
async function sendSlowly(origin: string, bytesPerSecond: number) {
  const { socket, received } = await openSocket(origin);
  socket.write(postHead({ 'Content-Length': BODY.length }));
  const begun = performance.now();
  for (let sent = 0; sent < BODY.length && !socket.closed; await sleep(10)) {
    const due = Math.min(BODY.length, Math.ceil(((performance.now() - begun) * bytesPerSecond) / 1_000));
    socket.write(BODY.subarray(sent, due));
    sent = due;
  }
  return { socket, received, tookMs: performance.now() - begun };
}

describe('a sender', () => {
  test('that is too slow is cut off, and its files and its space are released', async () => {
    const { origin, folder, quota, reasons } = await openUploads();
    const { socket, received } = await sendSlowly(origin, 10 * KB);
    expect([socket.closed, received(), reasons]).toEqual([true, '', ['slow-sender']]);
    await expect.poll(() => heldIn(folder)).toHaveLength(0);
    await expect.poll(() => filesIn(folder)).toHaveLength(0);
    await expect.poll(() => quota.stored().bytes).toBe(0);
  });

  test('whose chunks have more framing than bytes is judged by the bytes of its body', async () => {
    const { origin, reasons } = await openUploads();
    const { socket } = await openSocket(origin);
    socket.write(postHead({ 'Transfer-Encoding': 'chunked' }));
    const closed = once(socket, 'close');
    // With its framing the body comes at twice the minimum rate, without it at a tenth.
    const timer = setInterval(() => socket.write('1;extension=1\r\nx\r\n'.repeat(100)), 10);
    onTestFinished(() => clearInterval(timer));
    await closed;
    expect(reasons).toEqual(['slow-sender']);
  });

  test('above the minimum rate succeeds, however long it takes', async () => {
    const { origin, folder } = await openUploads();
    const { received, tookMs } = await sendSlowly(origin, 400 * KB);
    expect(tookMs).toBeGreaterThan(4 * SLOWEST.graceMs);
    await expect.poll(received).toMatch(/^HTTP\/1\.1 200 OK/u);
    expect(await filesIn(folder)).toHaveLength(1);
  });

  test('is not cut off while the process is busy, or it waits for the response', async () => {
    const origin = await open(async (request, response) => {
      request.resume();
      socket.write(BODY);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * SLOWEST.graceMs);
      await once(request, 'end');
      await sleep(3 * SLOWEST.graceMs);
      response.end('done');
    });
    const { socket, received } = await openSocket(origin);
    socket.write(postHead({ 'Content-Length': BODY.length }));
    await expect.poll(received).toMatch(/done$/u);
  });

  test('that has to wait for a slow storage is not cut off', async () => {
    const { origin, folder } = await openUploads((storage) => ({
      async stage(stream, options) {
        await sleep(4 * SLOWEST.graceMs);
        return storage.stage(stream, options);
      },
    }));
    const { socket, received } = await openSocket(origin);
    const body = multipart(filePart('a.bin', randomBytes(MB - 200 * KB)));
    socket.write(postHead({ 'Content-Length': body.length }));
    socket.write(body);
    await expect.poll(received).toMatch(/^HTTP\/1\.1 200 OK/u);
    expect(await filesIn(folder)).toHaveLength(1);
  });
});
