import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { connectRedis, type RedisConnection } from '../../src/redis/connection.ts';
import { createScript } from '../../src/redis/script.ts';
import { describeWithRedis, findFreePort, openTestRedis, type TestRedis } from '../support/redis.ts';
import { runScript } from '../support/run-script.ts';
import { eventually, temporaryFolder } from '../support/service.ts';

const ECHO = createScript('return ARGV[1]');

describeWithRedis('a connection to Redis', () => {
  let server: TestRedis;
  let redis: RedisConnection;
  let heard: number;

  beforeEach(async () => {
    server = await openTestRedis(onTestFinished);
    redis = await open(server.url());
    heard = 0;
    await redis.client().subscribe('channel', () => {
      heard += 1;
    });
  });

  async function open(url: string): Promise<RedisConnection> {
    const redis = connectRedis(url, { replyTimeoutMs: 200 });
    onTestFinished(redis.close);
    await redis.whenReady(2_000);
    return redis;
  }

  const echo = () => redis.run(ECHO, [], ['hello']);
  const answers = () => echo().then(Boolean, () => false);

  /** Publishes with another client until the connection receives a message. */
  async function hears(): Promise<boolean> {
    const other = await open(server.url());
    return eventually(async () => {
      await other.client().publish('channel', 'hello');
      return heard > 0;
    }, Boolean);
  }

  test('fails at once while the server is gone, and reconnects with its subscriptions', async () => {
    await server.kill();
    await expect.poll(answers).toBeFalsy();
    await expect(echo()).rejects.toThrow(`redis://127.0.0.1:${server.port} cannot be reached: `);
    await expect(echo()).rejects.not.toThrow('no answer within');
    await server.start();
    await expect.poll(answers).toBeTruthy();
    expect(await hears()).toBe(true);
  });

  test('reconnects when the server does not answer', async () => {
    server.pause();
    const given = redis.client().get('key').catch(String);
    await expect(echo()).rejects.toThrow('no answer within 200 ms');
    expect(await given).toContain('Disconnects');
    await expect(echo()).rejects.toThrow('cannot be reached: no answer within 2000 ms');
    server.resume();
    await expect.poll(answers).toBeTruthy();
    expect(await hears()).toBe(true);
  });

  test('can be closed while it connects', async () => {
    for (const delayMs of [0, 1, 2, 5, 10, 20, 50]) {
      server.pause();
      const connecting = connectRedis(server.url(), { replyTimeoutMs: 200 });
      await sleep(delayMs);
      connecting.close();
      server.resume();
      await expect(connecting.whenReady(100)).rejects.toThrow('it was closed');
      expect(() => connecting.client()).toThrow('it was closed');
    }
    // Past the next ping of each.
    await sleep(1_200);
  });

  test('reports why it cannot connect', async () => {
    const locked = await openTestRedis(onTestFinished, ['--requirepass', 'secret']);
    const refused = connectRedis(locked.url(), { replyTimeoutMs: 200 });
    onTestFinished(refused.close);
    await expect(refused.whenReady(500)).rejects.toThrow(/cannot be reached: .*AUTH/u);
    await open(locked.url().replace('redis://', 'redis://:secret@'));
  });

  test('is encrypted with rediss://', async () => {
    const folder = await temporaryFolder(onTestFinished);
    const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')];
    execFileSync(
      'openssl',
      [
        ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1'.split(' '),
        ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
        ...['-keyout', key, '-out', certificate],
      ],
      { stdio: 'ignore' },
    );
    const port = await findFreePort();
    await openTestRedis(onTestFinished, [
      ...['--tls-port', String(port), '--tls-cert-file', certificate, '--tls-key-file', key],
      ...['--tls-auth-clients', 'no'],
    ]);
    const code = `import { connectRedis } from 'src/redis/connection.ts';
      const redis = connectRedis('rediss://localhost:${port}', { replyTimeoutMs: 1_000 });
      console.log(await redis.whenReady(1_000).then(() => redis.client().ping(), String));
      redis.close();`;
    const trusting = runScript(code, [], onTestFinished, { NODE_EXTRA_CA_CERTS: certificate });
    const doubting = runScript(code, [], onTestFinished);
    expect(await trusting.output).toBe('PONG\n');
    expect(await doubting.output).toContain('self-signed certificate');
  });
});
