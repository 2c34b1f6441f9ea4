import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { manualLines } from '../support/manual.ts';
import { createBrowserKeys } from '../support/push-service.ts';
import { describeWithRedis, openTestRedis } from '../support/redis.ts';
import { openReadyService, temporaryFolder } from '../support/service.ts';
import { setClock } from '../support/set-clock.ts';
import { upload } from '../support/upload-client.ts';

/** Runs what the documents tell people to type. */

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const README = read('README.md');
const LINES = manualLines('sh');
const isForRedis = (line: string) => line.startsWith('redis-cli ');
const isBackup = (line: string) => line.includes('backup');

/** Runs a line as in a shell, in the project's folder; rejects where it fails. */
async function type(line: string, cwd = ROOT, environment: Record<string, string> = {}): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment };
  const options = { cwd, env, maxBuffer: 64 * 1024 ** 2 };
  return (await promisify(execFile)('sh', ['-euc', line], options)).stdout;
}

test.each(LINES.filter((line) => !isForRedis(line) && !isBackup(line)))('the manual: %s', async (line) => {
  const DATA_DIR = await temporaryFolder(onTestFinished);
  const limits = { UPLOAD_QUOTA: '2 MB', UPLOAD_MAX_SIZE: '1 MB', UPLOAD_ADDRESS_QUOTA: '1 MB' };
  const service = await openReadyService(onTestFinished, { DATA_DIR, METRICS_PORT: '0', ...limits });
  await upload(service.uploads);
  const place = line.replace('http://127.0.0.1:9100', service.operations!);
  const environment = { DATA_DIR, SOURCE_URLS: service.source.origin, SOURCE_DELAY: '0', ...limits };
  expect(await type(place, ROOT, environment)).not.toBe('');
});

describe('README', { timeout: 90_000 }, () => {
  const requests = [...README.matchAll(/^\$ (curl .*)\n(\{.*)$/gmu)].map(([, line = '', answer = '']) => [
    line,
    answer,
  ]);

  test.each(requests)('%s has the answer that is shown', async (line, answer) => {
    // The sample site is of this Friday, and what it shows is expected within a week.
    setClock(Date.parse('2026-11-20T05:00:00Z'));
    // Times are expected once the pages of single anime were read.
    const service = await openReadyService(onTestFinished, { REFRESH_DETAILS: 'on' });
    const cwd = await temporaryFolder(onTestFinished);
    await writeFile(path.join(cwd, 'photo.png'), 'photo');
    const place = line!
      .replace('http://127.0.0.1:3000', service.listing)
      .replace('http://127.0.0.1:3001', service.uploads);
    const keysOf = (text: string) => [...new Set([...text.matchAll(/"(\w+)":/gu)].map(([, key]) => key))];
    const typed = async () => keysOf(await type(`${place} -s`, cwd));
    await expect.poll(typed, { timeout: 60_000, interval: 500 }).toEqual(keysOf(answer!));
  });
});

describeWithRedis('a user of Redis with the rights in the manual', () => {
  const recipe = LINES.find(isForRedis)!;

  test('is all that the service needs, and reaches no key of others', async () => {
    const { port } = await openTestRedis(onTestFinished);
    const cli = `redis-cli -p ${port}`;
    expect(await type(recipe.replace('redis-cli', cli))).toBe('OK\n');
    const url = `redis://tayang:PASSWORD@127.0.0.1:${port}`;
    const places = { CACHE_URL: url, UPLOAD_LIMITER_URL: url, PUSH_CONTACT: 'mailto:operator@example.org' };
    const service = await openReadyService(onTestFinished, { ...places, REFRESH_DETAILS: 'on' });
    const { deletion } = await upload(service.uploads);
    expect((await fetch(service.uploads + deletion, { method: 'DELETE' })).status).toBe(204);
    const subscription = { endpoint: 'https://push.example/1', keys: createBrowserKeys().keys };
    const body = JSON.stringify({ subscription, slugs: ['naga-kecil'] });
    const init = { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body };
    expect((await fetch(`${service.listing}/push/subscription`, init)).status).toBe(204);
    const DATA_DIR = await temporaryFolder(onTestFinished);
    const environment = { DATA_DIR, SOURCE_URLS: service.source.origin, SOURCE_DELAY: '0', ...places };
    await type('npm run -s refresh -- --force', ROOT, environment);
    expect(await type(`${cli} EXISTS tayang:subscriptions`)).toBe('1\n');
    await type(`${cli} ${/DEL tayang:[^`]+/u.exec(read('docs/operations.md'))?.[0]}`);
    expect(await type(`${cli} KEYS 'tayang:subscription*'`)).toBe('\n');
    expect(await type(`${cli} ACL LOG`)).toBe('\n');
    expect(service.failures).toEqual([]);
    const user = `${cli} --user tayang --pass PASSWORD --no-auth-warning`;
    expect(await type(`${user} SET other x; ${user} FLUSHDB; ${user} CONFIG GET dir`)).toMatch(
      /^(?:NOPERM.*\n+){3}$/u,
    );
  });

  test('has no command that the code does not call', () => {
    const code = globSync('src/**/*.{ts,lua}', { cwd: ROOT }).map(read).join('\n');
    const calls = code.matchAll(/redis\.call\('(\w+)'|(?:redis\.client\(\)|client)\.(\w+)/gu);
    const called = [...calls].map(([, lua, method = '']) =>
      (lua ?? method.replace('Iterator', '')).toLowerCase(),
    );
    const granted = [...recipe.matchAll(/\+(\w+)/gu)].map(([, name]) => name);
    // The client says hello by itself.
    expect([...called, 'hello']).toEqual(expect.arrayContaining(granted));
  });
});
