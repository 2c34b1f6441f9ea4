import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Defer } from '../support/defer.ts';
import { scrape } from '../support/metrics.ts';
import { openTestS3, refuse } from '../support/s3.ts';
import { eventually, openTestService, readJson, temporaryFolder } from '../support/service.ts';
import { filePart, multipart, post, send, upload } from '../support/upload-client.ts';

const ABSENT = { store: 'absent', storage: 'absent', limiter: 'absent', scanner: 'absent' };

const open = (defer: Defer, environment: Record<string, string>) =>
  openTestService(defer, { METRICS_PORT: '0', REFRESH_CRON: 'off', ...environment });

/** The status of `/readyz` with the dependencies, and what the metrics say of the storage. */
async function ask(operations: string | null) {
  const response = await fetch(`${operations}/readyz`);
  const { sample } = await scrape(operations);
  const { dependencies } = await readJson(response);
  return {
    status: response.status,
    storage: dependencies.storage,
    up: sample('tayang_dependency_up', { name: 'storage' }),
  };
}

const UP = { status: 200, storage: 'ok', up: 1 };
const DOWN = { status: 503, storage: 'down', up: 0 };

const becomes = (operations: string | null, expected: object) =>
  eventually(
    () => ask(operations),
    (state) => JSON.stringify(state) === JSON.stringify(expected),
  );

test.each([
  ['listing,uploads,refresh', { store: 'ok', storage: 'ok' }],
  ['listing', { store: 'ok' }],
  ['uploads', { storage: 'ok' }],
  ['refresh', { store: 'ok' }],
])('SERVE=%s names its dependencies, and measures those that are not absent', async (SERVE, used) => {
  // A process that only refreshes needs a time for it.
  const REFRESH_CRON = SERVE === 'refresh' ? '0 0 1 1 *' : 'off';
  const { operations } = await open(onTestFinished, { SERVE, REFRESH_CRON });
  const readiness = await readJson(fetch(`${operations}/readyz`));
  expect(readiness.dependencies).toEqual({ ...ABSENT, ...used });
  expect(readiness.store.state).toBe(readiness.dependencies.store);
  const { families } = await scrape(operations);
  const measured = families.find(({ name }) => name === 'tayang_dependency_up')?.metrics ?? [];
  expect(measured.map(({ labels, value }) => [labels?.name, value])).toEqual(
    Object.keys(used).map((name) => [name, '1']),
  );
});

/** These wait for checks, which come each second or so: all of them at once. */
describe.concurrent('while a storage fails,', () => {
  test('a process for uploads is not ready while its disk cannot be written, and ready afterwards', async ({
    onTestFinished: defer,
  }) => {
    const DATA_DIR = await temporaryFolder(defer);
    const { operations } = await open(defer, { SERVE: 'uploads', DATA_DIR });
    expect(await ask(operations)).toEqual(UP);
    // Not even root can write below a file.
    const staging = path.join(DATA_DIR, 'uploads/staging');
    await rm(staging, { recursive: true });
    await writeFile(staging, '');
    await becomes(operations, DOWN);
    await rm(staging);
    await mkdir(staging);
    await becomes(operations, UP);
  });

  test('S3 that can be read but not written is down from a failed upload until a write succeeds', async ({
    onTestFinished: defer,
  }) => {
    const s3 = await openTestS3(defer);
    const { operations, uploads } = await open(defer, { SERVE: 'uploads', UPLOAD_STORAGE_URL: s3.url() });
    const { file } = await upload(uploads);
    s3.fault = (ctx) => (ctx.method === 'PUT' ? refuse(ctx, 403, 'AccessDenied') : false);
    expect((await post(uploads, multipart(filePart('a.bin', randomBytes(10))))).status).toBe(503);
    await becomes(operations, DOWN);
    const checks = () => s3.requests.filter((request) => request.endsWith('/check')).length;
    const before = checks();
    await eventually(
      async () => checks(),
      (count) => count >= before + 2,
    );
    expect(await ask(operations)).toEqual(DOWN);
    expect((await send(uploads, { path: file })).status).toBe(200);
    s3.fault = undefined;
    await becomes(operations, UP);
    expect(s3.keys().filter((key) => key.endsWith('check'))).toEqual([]);
  });

  test('S3 that is full works: uploads are answered 507', async ({ onTestFinished: defer }) => {
    const s3 = await openTestS3(defer);
    const { operations, uploads } = await open(defer, { SERVE: 'uploads', UPLOAD_STORAGE_URL: s3.url() });
    s3.fault = (ctx) => (ctx.method === 'PUT' ? refuse(ctx, 507, 'InsufficientStorage') : false);
    expect((await post(uploads, multipart(filePart('a.bin', randomBytes(10))))).status).toBe(507);
    const checks = () => s3.requests.filter((request) => request.endsWith('/check')).length;
    await eventually(
      async () => checks(),
      (count) => count >= 2,
    );
    expect(await ask(operations)).toEqual(UP);
  });
});
