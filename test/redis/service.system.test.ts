import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  describeWithRedis,
  findFreePort,
  openTestRedis,
  redisCommand,
  type TestRedis,
} from '../support/redis.ts';
import {
  eventually,
  type RunningCommand,
  readJson,
  runCommand,
  startServe,
  temporaryFolder,
} from '../support/service.ts';
import { openTestSource, type TestSource } from '../support/source.ts';
import { filePart, KB, multipart, openSocket, postHead } from '../support/upload-client.ts';

/** Processes start slowly on a busy machine. */
vi.setConfig({ testTimeout: 60_000 });

/** Between two requests of a reader: what reads without a pause takes the cores from what it reads. */
const READ_PAUSE_MS = 50;

describeWithRedis('processes on one Redis', () => {
  let redis: TestRedis;
  let source: TestSource;
  let environment: Record<string, string>;

  beforeEach(async () => {
    redis = await openTestRedis(onTestFinished);
    source = await openTestSource(onTestFinished);
    const url = redis.url();
    // The test counts requests, so none may time out and be retried on a busy machine.
    environment = {
      SOURCE_URLS: source.origin,
      SOURCE_TIMEOUT: '15s',
      CACHE_URL: url,
      UPLOAD_LIMITER_URL: url,
    };
  });

  /** Starts a service with a data folder of its own, as on another machine. */
  const start = (more: Record<string, string> = {}) =>
    startServe({ ...environment, ...more }, onTestFinished);

  const readiness = (address: string) => readJson(fetch(`${address}/readyz`));
  const isReady = async (address: string) => (await readiness(address)).status === true;
  const count = ({ output }: RunningCommand, type: string, name: string) =>
    output().split(`"type":"${type}","name":"${name}"`).length - 1;

  test('refresh once together', async () => {
    const SERVE = 'listing,refresh';
    const processes = await Promise.all([start({ SERVE }), start({ SERVE })]);
    await Promise.all(processes.map(({ address }) => eventually(() => isReady(address), Boolean)));
    expect(new Set(source.requests).size).toBe(source.requests.length - 1);
    expect(source.requests).toContain('/ongoing-anime/page/6/');
  });

  test('answer all but uploads while Redis is killed and restarted', async () => {
    const serve = await start({ UPLOAD_RATE_LIMIT: '3' });
    await expect.poll(() => isReady(serve.address)).toBeTruthy();
    const statuses: number[] = [];
    let isOver = false;
    const readers = Array.from({ length: 4 }, async (_, i) => {
      while (!isOver) {
        const response = await fetch(`${serve.address}/api/anime/home?page=${1 + i}`);
        await response.arrayBuffer();
        statuses.push(response.status);
        await sleep(READ_PAUSE_MS);
      }
    });
    const answers: Response[] = [];
    const upload = async () => {
      const body = new FormData();
      body.append('file', new File(['hello'], 'hello.txt'));
      const response = await fetch(`${serve.uploads}/upload`, { method: 'POST', body });
      answers.push(response);
      return `${response.status} ${response.headers.get('RateLimit')?.replace(/;t=\d+$/u, '')}`;
    };
    const storeState = async () => (await readiness(serve.address)).store.state;

    expect(await upload()).toBe('200 "upload";r=2');
    await redis.kill();
    await expect.poll(storeState).toBe('down');
    const { status, store } = await readiness(serve.address);
    expect(status).toBe(true);
    expect(store.reason).not.toMatch(/127\.0\.0\.1|redis:|\d{4}/u);
    expect(serve.output()).toContain(`redis://127.0.0.1:${redis.port}`);
    expect(await upload()).toBe('503 undefined');
    expect(answers[1]!.headers.get('Retry-After')).toBe('5');
    const { result } = (await answers[0]!.json()) as { result: { url_file: string } };
    expect(await (await fetch(result.url_file)).text()).toBe('hello');
    const deletion = answers[0]!.headers.get('X-Delete-Url')!;
    expect((await fetch(deletion, { method: 'DELETE' })).status).toBe(204);
    const creation = await fetch(`${serve.uploads}/files`, {
      method: 'POST',
      headers: { 'Tus-Resumable': '1.0.0', 'Upload-Length': '1' },
    });
    expect(creation.status).toBe(503);

    const told = (type: string) => ['store', 'limiter', 'quota'].map((name) => count(serve, type, name));
    await expect.poll(() => told('dependency-down')).toEqual([1, 1, 1]);
    await redis.start();
    await expect.poll(storeState).toBe('ok');
    await expect.poll(upload).toBe('200 "upload";r=2');
    await expect.poll(() => statuses.length).toBeGreaterThan(100);
    isOver = true;
    await Promise.all(readers);
    expect(new Set(statuses)).toEqual(new Set([200]));
    await expect.poll(() => told('dependency-restored')).toEqual([1, 1, 1]);
    expect(told('dependency-down')).toEqual([1, 1, 1]);
  });

  test('do not call the store full when Redis stops answering while an upload arrives', async () => {
    const serve = await start({ SERVE: 'uploads' });
    const body = multipart(filePart('a.bin', Buffer.alloc(400 * KB)));
    const { socket, received } = await openSocket(serve.uploads);
    socket.write(postHead({ 'Content-Length': body.length }));
    socket.write(body.subarray(0, 10 * KB));
    const sums = `${new URL(environment.UPLOAD_LIMITER_URL!).searchParams.get('prefix')}:limits:sums`;
    await eventually(
      () => redisCommand(redis.port, 'HGET', sums, '*'),
      (bytes) => Number(bytes) >= 10 * KB,
    );
    redis.pause();
    // All of it has arrived and is staged before the space for it is refused.
    socket.write(body.subarray(10 * KB));
    await expect.poll(received).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 5\r\n.*cannot be counted/su);
  });

  test('do not start without Redis, and name the variable', async () => {
    const CACHE_URL = `redis://127.0.0.1:${await findFreePort()}`;
    const DATA_DIR = await temporaryFolder(onTestFinished);
    const serve = runCommand(['serve'], { ...environment, CACHE_URL, DATA_DIR }, onTestFinished);
    expect(await serve.ended).toBe(1);
    expect(serve.output()).toContain(
      `Tayang cannot start: CACHE_URL cannot be used (${CACHE_URL} cannot be reached: connect ECONNREFUSED ${CACHE_URL.slice(8)}).\n`,
    );
  });
});
