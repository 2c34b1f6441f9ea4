import { describeError } from '../domain/errors.ts';
import { type Finding, formatDuration, ok, problem, redactUrl, warning } from './check.ts';
import type { Settings } from './context.ts';

const REPLY_TIMEOUT_MS = 2_000;
/** A larger difference between the clocks gets a warning. The limiter itself uses the clock of Redis only. */
const MAX_SKEW_MS = 5_000;

/** Whether what counts uploads answers: without it there are none. */
export async function* checkLimiter({ upload }: Settings, now: () => number): AsyncGenerator<Finding> {
  const { limiterUrl } = upload;
  const place = redactUrl(limiterUrl);
  if (limiterUrl === 'memory:') {
    const several =
      'several processes on one storage need Redis for limits over all of them (UPLOAD_LIMITER_URL)';
    yield ok(`each process counts uploads by itself; ${several}`);
  } else {
    try {
      yield* checkRedis(limiterUrl, place, now);
    } catch (error) {
      const meanwhile = 'uploads are answered 503 meanwhile';
      yield problem(`${place}: ${describeError(error)}; ${meanwhile}: fix that, or set UPLOAD_LIMITER_URL`);
    }
  }
}

async function* checkRedis(url: string, place: string, now: () => number): AsyncGenerator<Finding> {
  const { connectRedis } = await import('../redis/connection.ts');
  const redis = connectRedis(url, { replyTimeoutMs: REPLY_TIMEOUT_MS });
  try {
    await redis.whenReady(REPLY_TIMEOUT_MS);
    const askedAt = now();
    await redis.client().ping();
    yield ok(`${place} answers, in ${now() - askedAt} ms`);
    const [seconds] = await redis.client().time();
    const skewMs = Math.abs(Number(seconds) * 1_000 - now());
    if (skewMs > MAX_SKEW_MS) {
      yield warning(
        `its clock is ${formatDuration(skewMs)} from that of this machine: set the one that is wrong`,
      );
    }
  } finally {
    redis.close();
  }
}
