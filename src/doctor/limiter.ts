import { describeError } from '../domain/errors.ts';
import { connectRedis } from '../redis/connection.ts';
import { type Finding, ok, problem, redactUrl } from './check.ts';
import type { DoctorContext } from './context.ts';

const REPLY_TIMEOUT_MS = 2_000;

/** Whether what counts uploads answers: without it there are none. */
export async function* checkLimiter({ config }: Pick<DoctorContext, 'config'>): AsyncGenerator<Finding> {
  const { limiterUrl } = config.upload;
  if (limiterUrl === 'memory:') {
    const several =
      'several processes on one storage need Redis for limits over all of them (UPLOAD_LIMITER_URL)';
    yield ok(`each process counts uploads by itself; ${several}`);
    return;
  }
  const redis = connectRedis(limiterUrl, { replyTimeoutMs: REPLY_TIMEOUT_MS });
  try {
    await redis.whenReady(REPLY_TIMEOUT_MS);
    await redis.client().ping();
    yield ok(`${redactUrl(limiterUrl)} answers`);
  } catch (error) {
    const meanwhile = 'uploads are answered 503 meanwhile';
    yield problem(
      `${redactUrl(limiterUrl)}: ${describeError(error)}; ${meanwhile}: fix that, or set UPLOAD_LIMITER_URL`,
    );
  } finally {
    redis.close();
  }
}
