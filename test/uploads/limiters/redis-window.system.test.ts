import { once } from 'node:events';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openRedisWindow } from '../../../src/uploads/limiters/redis-window.ts';
import { limiterContract } from '../../contracts/limiter.ts';
import { MORE } from '../../support/more-runs.ts';
import { connectTestRedis, describeWithRedis, openTestRedis, type TestRedis } from '../../support/redis.ts';
import { runScript } from '../../support/run-script.ts';
import { untilEnd } from '../../support/upload-client.ts';

describeWithRedis('on a Redis', () => {
  let server: TestRedis;
  const atEnd = untilEnd();

  beforeAll(async () => {
    server = await openTestRedis(atEnd);
  });

  limiterContract(
    'the Redis limiter',
    async ({ windowMs, elapsedMs: clock }) => {
      const redis = await connectTestRedis(server.url());
      return openRedisWindow(redis, windowMs, clock);
    },
    { numRuns: 30 * MORE },
  );

  test('allows exactly the limit of concurrent requests from two processes', async () => {
    const url = server.url();
    const code = `import { connectRedis } from 'src/redis/connection.ts';
      import { openRedisWindow } from 'src/uploads/limiters/redis-window.ts';
      const redis = connectRedis('${url}', { replyTimeoutMs: 10_000 });
      await redis.whenReady(10_000);
      const limiter = openRedisWindow(redis, 60_000);
      const keys = [{ key: '2001:db8:0:1::/64', limit: 40 }, { key: '2001:db8:0::/48', limit: 320 }];
      const told = new Promise((resolve) => process.on('SIGUSR2', resolve));
      console.log('ready');
      await told;
      const verdicts = await Promise.all(Array.from({ length: 100 }, () => limiter.take(keys)));
      console.log(JSON.stringify(verdicts.filter(({ ok }) => ok).map(({ remaining }) => remaining)));
      process.exit();`;
    const scripts = [runScript(code, [], onTestFinished), runScript(code, [], onTestFinished)];
    await Promise.all(scripts.map(({ child }) => once(child.stdout!, 'data')));
    for (const { child } of scripts) child.kill('SIGUSR2');
    const printed = await Promise.all(scripts.map(({ output }) => output));
    const remaining = printed.flatMap((text) => JSON.parse(text.replace('ready\n', '')) as number[]);
    expect(remaining.sort((a, b) => b - a)).toEqual(Array.from({ length: 40 }, (_, i) => 39 - i));
  });

  test('uses the clock of Redis, and leaves no keys after the window', async () => {
    const redis = await connectTestRedis(server.url());
    const limiter = openRedisWindow(redis, 60_000);
    const keys = [{ key: 'address', limit: 2 }];
    expect(await limiter.take(keys)).toMatchObject({ ok: true, remaining: 1 });
    expect(await limiter.take(keys)).toMatchObject({ ok: true, remaining: 0 });
    const refused = await limiter.take(keys);
    expect(refused).toMatchObject({ ok: false, remaining: 0 });
    expect(refused.resetMs).toBeGreaterThan(0);
    expect(refused.resetMs).toBeLessThanOrEqual(60_000);
    const [key = '', ...others] = await redis.client().keys(`${redis.prefix}*`);
    expect(others).toEqual([]);
    const leftMs = await redis.client().pTTL(key);
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(60_000);
  });

  test('keeps its time when the clock is set back a little, and drops the bucket when it is set back far', async () => {
    const redis = await connectTestRedis(server.url());
    let nowMs = 100_000;
    const limiter = openRedisWindow(redis, 60_000, () => nowMs);
    const keys = [{ key: 'address', limit: 2 }];
    await limiter.take(keys);
    nowMs = 90_000;
    expect(await limiter.take(keys)).toEqual({ ok: true, limit: 2, remaining: 0, resetMs: 60_000 });
    expect(await limiter.take(keys)).toMatchObject({ ok: false });
    nowMs = 1_000;
    expect(await limiter.take(keys)).toMatchObject({ ok: true, remaining: 1 });
  });
});
