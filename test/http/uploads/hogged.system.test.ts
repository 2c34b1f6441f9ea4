import { expect, onTestFinished, test } from 'vitest';
import { startServe, temporaryFolder } from '../../support/service.ts';
import { filePart, multipart, post, send, upload } from '../../support/upload-client.ts';

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

test('40 connections to the page of a text leave others a third of their uploads', async () => {
  const DATA_DIR = await temporaryFolder(onTestFinished);
  const { address } = await startServe({ ...LIMITS, DATA_DIR }, onTestFinished);
  const hog = from('203.0.113.7');
  const { page } = await upload(address, '<'.repeat(100_000), { headers: hog });
  const body = multipart(filePart('a.txt', 'x'));
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
