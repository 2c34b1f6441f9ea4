import { describeError } from '../domain/errors.ts';
import { type Check, type Finding, ok, problem, warning } from './check.ts';
import type { Settings } from './context.ts';
import { inWords, withoutSecrets } from './format.ts';

const ANSWER_LIMIT_MS = 2_000;
/** The window is by the clock of Redis: another one there is no harm to it, but seldom alone. */
const MAX_APART_MS = 5_000;

/** Where the window of the uploads is kept. While that does not answer, each process limits by itself. */
export function checkLimiter({ upload }: Settings, now: () => number): Check {
  const { limiterUrl } = upload;
  const place = withoutSecrets(limiterUrl);
  return {
    name: 'Limiter',
    async *find() {
      if (limiterUrl === 'memory:') yield ok('each process limits uploads by itself (UPLOAD_LIMITER_URL)');
      else {
        try {
          yield* askRedis(limiterUrl, place, now);
        } catch (error) {
          const meanwhile = 'each process limits uploads by itself meanwhile';
          yield problem(
            `${place}: ${describeError(error)}; ${meanwhile}: mend that, or set UPLOAD_LIMITER_URL`,
          );
        }
      }
    },
  };
}

async function* askRedis(url: string, place: string, now: () => number): AsyncGenerator<Finding> {
  const { connectRedis } = await import('../redis/connection.ts');
  const redis = connectRedis(url, { answerLimitMs: ANSWER_LIMIT_MS });
  try {
    await redis.whenReady(ANSWER_LIMIT_MS);
    const askedAt = now();
    await redis.client().ping();
    yield ok(`${place} answers, in ${now() - askedAt} ms`);
    const [seconds] = await redis.client().time();
    const apartMs = Math.abs(Number(seconds) * 1_000 - now());
    if (apartMs > MAX_APART_MS) {
      yield warning(`its clock is ${inWords(apartMs)} from that of this machine: set the one that is wrong`);
    }
  } finally {
    redis.close();
  }
}
