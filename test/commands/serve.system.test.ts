import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refreshHere } from '../support/refresh-here.ts';
import { readJson, runCommand, START, startServe, temporaryFolder } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';
import { filePart, multipart, openSocket, postHead } from '../support/upload-client.ts';

const defer = onTestFinished;
const isReady = async (address: string) => (await fetch(`${address}/readyz`)).status === 200;

describe('serve', () => {
  test('serves the last good snapshot after kill -9 during a refresh, with the source gone', async () => {
    const source = await openTestSource(defer);
    const DATA_DIR = await temporaryFolder(defer);
    const first = await startServe(
      { DATA_DIR, SERVE: 'listing,refresh', SOURCE_URLS: source.origin, REFRESH_CRON: '* * * * * *' },
      defer,
    );
    await expect.poll(() => isReady(first.address)).toBeTruthy();
    const before = await readJson(fetch(`${first.address}/api/anime/home`));
    source.fault = (request) => request.url === '/ongoing-anime/page/3/';
    await expect.poll(() => source.requests.at(-1)).toBe('/ongoing-anime/page/3/');
    first.kill('SIGKILL');
    await first.ended;
    await source.close();

    const second = await startServe({ DATA_DIR, SERVE: 'listing', SOURCE_URLS: source.origin }, defer);
    expect(await readJson(fetch(`${second.address}/api/anime/home`))).toEqual(before);
    expect((await fetch(`${second.address}/api/anime/schedule`)).status).toBe(200);
  });

  test('stops on SIGTERM with exit code 0, aborts a refresh and releases the lease', async () => {
    const source = await openTestSource(defer);
    source.fault = () => true;
    const DATA_DIR = await temporaryFolder(defer);
    const environment = {
      DATA_DIR,
      SERVE: 'listing,refresh',
      SOURCE_URLS: source.origin,
      SOURCE_TIMEOUT: '60s',
    };
    const serve = await startServe(environment, defer);
    await expect.poll(() => source.requests.length).toBeGreaterThan(0);
    serve.kill('SIGTERM');
    expect(await serve.ended).toBe(0);

    source.fault = undefined;
    expect((await refreshHere({ SOURCE_DELAY: '0', ...environment })).exitCode).toBe(0);
  });

  test('answers a request that is in flight before it stops, and accepts no other', async () => {
    const source = await openTestSource(defer);
    const serve = await startServe({ SOURCE_URLS: source.origin }, defer);
    await expect.poll(() => isReady(serve.address)).toBeTruthy();
    const body = multipart(filePart('a.txt', 'halo'));
    const { socket, received } = await openSocket(serve.uploads);
    socket.write(postHead({ 'Content-Length': body.length }));
    socket.write(body.subarray(0, -10));
    // What has sent no more than half of its headers is not in flight.
    const half = await openSocket(serve.address);
    half.socket.write('GET /api/anime/schedule HTTP/1.1\r\nHost: x\r\n');
    await setTimeout(100);

    serve.kill('SIGTERM');
    await serve.printed(/SIGTERM/u);
    await once(half.socket, 'close');
    await expect(fetch(`${serve.address}/healthz`)).rejects.toThrow();
    socket.write(body.subarray(-10));
    expect(await serve.ended).toBe(0);
    expect(received()).toMatch(/^HTTP\/1\.1 200 OK/u);
  });

  test('prints its lines whatever the log level, and logs JSON on a pipe', async () => {
    const serve = await startServe({ REFRESH_CRON: 'off', LOG_LEVEL: 'silent' }, defer);
    const lines = serve.output().trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0] ?? '').msg).toBe(`listing listening on ${serve.address}`);
  });

  test('says version, origins, jobs, store and source before it listens, without secrets', async () => {
    const DATA_DIR = await temporaryFolder(onTestFinished);
    const UPLOAD_LIMITER_URL = 'redis://operator:secret@127.0.0.1:9';
    const environment = { DATA_DIR, UPLOAD_LIMITER_URL, UPLOAD_STORAGE_URL: `file:${DATA_DIR}/files` };
    const { output } = await startServe({ ...environment, REFRESH_CRON: 'off' }, onTestFinished);
    const records = output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const said = records.slice(0, 5).map(({ what, value }) => [what, value]);
    expect(Object.fromEntries(said)).toEqual({
      version: expect.stringMatching(/^Tayang \d/u),
      origins: expect.stringMatching(/^http:\S+ \(listing\), http:\S+ \(uploads\)$/u),
      jobs: 'listing, uploads, refresh (off)',
      store: `sqlite:${DATA_DIR}/cache.sqlite, uploads in file:${DATA_DIR}/files`,
      source: 'https://otakudesu.blog',
    });
    expect(output()).not.toContain('secret');
  });

  test('prints every problem of its configuration at once', async () => {
    const DATA_DIR = await temporaryFolder(defer);
    const environment = {
      DATA_DIR,
      PORT: 'x',
      SOURCE_DELAY: '5 parsecs',
      REFRESH_CRON: 'sometimes',
      CACHE_URL: 'ftp://x',
    };
    const serve = runCommand(['serve'], environment, defer);
    expect(await serve.ended).toBe(1);
    for (const name of ['PORT', 'SOURCE_DELAY', 'REFRESH_CRON', 'CACHE_URL'])
      expect(serve.output()).toContain(name);
  });
});

/** Runs `--version` as if by a Node of another version. */
function runWithNode(version: string) {
  const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
  const args = ['--import', `data:text/javascript,${pretend}`, START, '--version'];
  return promisify(execFile)(process.execPath, args).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
}

test.each(['20.1.0', '24.0.0', '24.5.9'])('Node %s is refused with one line', async (version) => {
  const { stdout, stderr } = await runWithNode(version);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^Tayang needs Node 24\.6 or newer[^\n]*\n$/u);
});

test.each(['24.6.0', '24.10.0', '25.0.0'])('Node %s is accepted', async (version) => {
  const { stdout, stderr } = await runWithNode(version);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/u);
});
