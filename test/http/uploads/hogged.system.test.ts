import { expect, onTestFinished, test } from 'vitest';
import { startServe } from '../../support/service.ts';
import {
  filePart,
  multipart,
  openSocket,
  post,
  postHead,
  send,
  upload,
} from '../../support/upload-client.ts';

const WINDOW_MS = 1_500;
const LIMITS = { SERVE: 'uploads', TRUST_PROXY: '1', UPLOAD_RATE_LIMIT: '10000', UPLOAD_CONCURRENCY: '1000' };
const from = (address: string) => ({ 'X-Forwarded-For': address });

/** Repeats something over so many connections for a moment; resolves with how often it has ended. */
async function repeat(connections: number, ask: (connection: number) => Promise<unknown>): Promise<number> {
  const until = performance.now() + WINDOW_MS;
  let ended = 0;
  const run = async (connection: number) => {
    for (; performance.now() < until; ended += 1) await ask(connection);
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => run(connection)));
  return ended;
}

const hog = from('203.0.113.7');
const body = multipart(filePart('a.txt', 'x'));
const open = async () => (await startServe(LIMITS, onTestFinished)).address;

test('40 connections to the page of a text leave others a third of their uploads', async () => {
  const address = await open();
  const { page } = await upload(address, '<'.repeat(100_000), { headers: hog });
  const others = () =>
    repeat(8, async (host) => {
      expect(await post(address, body, { headers: from(`198.51.100.${host}`) })).toMatchObject({
        status: 200,
      });
    });
  const readPage = () => repeat(40, () => send(address, { path: page, headers: hog }));
  const uploads = { alone: 0, beside: 0 };
  for (let round = 0; round < 3; round += 1) {
    uploads.alone += await others();
    const [beside] = await Promise.all([others(), readPage()]);
    uploads.beside += beside;
  }
  expect(uploads.beside / uploads.alone, JSON.stringify(uploads)).toBeGreaterThan(1 / 3);
});

test('eight connections with chunks of one byte keep nobody waiting', async () => {
  const address = await open();
  const hogs = await Promise.all(Array.from({ length: 8 }, () => openSocket(address)));
  for (const { socket } of hogs) {
    socket.write(postHead({ ...hog, 'Transfer-Encoding': 'chunked' }));
    for (let written = 0; written < 40; written += 1) socket.write('1\r\nx\r\n'.repeat(10_000));
    socket.write('0\r\n\r\n');
  }
  expect(await post(address, body, { headers: from('198.51.100.1') })).toMatchObject({ status: 200 });
  // They take more than a minute, and are still served.
  for (const { socket, received } of hogs) expect([received(), socket.closed]).toEqual(['', false]);
});

test('reports that are sent slowly take no places of pages', async () => {
  const address = await open();
  const { id, page } = await upload(address, 'x');
  const slow: Awaited<ReturnType<typeof openSocket>>[] = [];
  for (let network = 0; network < 80; network += 1) {
    const opened = await openSocket(address);
    slow.push(opened);
    const headers = `X-Forwarded-For: 2001:db8:0:${network % 40}::1\r\nContent-Type: application/json`;
    opened.socket.write(`POST /r/${id} HTTP/1.1\r\nHost: x\r\n${headers}\r\nContent-Length: 100\r\n\r\n{`);
  }
  expect(await send(address, { path: page, headers: from('198.51.100.1') })).toMatchObject({ status: 200 });
  // None of them has ended meanwhile: the page did not wait for one.
  for (const { socket, received } of slow) expect([received(), socket.closed]).toEqual(['', false]);
});
