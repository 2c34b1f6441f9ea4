import { beforeAll, onTestFinished } from 'vitest';
import { connectRedis } from '../../../src/redis/connection.ts';
import { openRedisWindow } from '../../../src/uploads/limiters/redis-window.ts';
import { limiterContract } from '../../contracts/limiter.ts';
import { describeWithRedis, openTestRedis, type TestRedis } from '../../support/redis.ts';
import { untilEnd } from '../../support/upload-client.ts';

describeWithRedis('on a Redis', () => {
  let server: TestRedis;
  const atEnd = untilEnd();

  beforeAll(async () => {
    server = await openTestRedis(atEnd);
  });

  limiterContract(
    'the Redis limiter',
    async ({ windowMs, now: clock }) => {
      const redis = connectRedis(server.url(), { answerLimitMs: 2_000 });
      onTestFinished(redis.close);
      await redis.whenReady(2_000);
      return openRedisWindow({ redis, windowMs, clock });
    },
    { numRuns: 30 },
  );
});
