import { describeError } from '../domain/errors.ts';
import { connectRedis } from '../redis/connection.ts';
import { type Check, redactUrl } from './check.ts';

const REPLY_TIMEOUT_MS = 2_000;

/** Whether what counts uploads answers: without it there are none. */
export const checkLimiter: Check = async ({ upload: { limiterUrl } }, tell) => {
  if (limiterUrl === 'memory:') {
    const several =
      'several processes on one storage need Redis for limits over all of them (UPLOAD_LIMITER_URL)';
    return tell('ok', `each process counts uploads by itself; ${several}`);
  }
  const redis = connectRedis(limiterUrl, { replyTimeoutMs: REPLY_TIMEOUT_MS });
  try {
    await redis.whenReady(REPLY_TIMEOUT_MS);
    await redis.client().ping();
    tell('ok', `${redactUrl(limiterUrl)} answers`);
  } catch (error) {
    const meanwhile = 'uploads are answered 503 meanwhile: fix that, or set UPLOAD_LIMITER_URL';
    tell('problem', `${redactUrl(limiterUrl)}: ${describeError(error)}; ${meanwhile}`);
  } finally {
    redis.close();
  }
};
