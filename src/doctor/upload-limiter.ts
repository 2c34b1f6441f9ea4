import type { Happening } from '../domain/report.ts';
import { type Check, ok, problem } from './check.ts';
import type { Patient } from './patient.ts';
import { troubleOf, withoutSecrets } from './words.ts';

/** One look into the window of an address that nobody has: what is said while it looks is what is wrong. */
export function checkUploadLimiter({ settings, openLimiter }: Patient): Check {
  const { limiterUrl } = settings.upload;
  const place = withoutSecrets(limiterUrl);
  return {
    name: 'Upload limiter',
    async *find() {
      const said: Happening[] = [];
      try {
        const limiter = await openLimiter((happening) => void said.push(happening));
        await limiter.look([{ key: 'doctor', limit: 1 }]);
      } catch (error) {
        yield problem(`${place} cannot be used: ${troubleOf(error)}; mend that, or set UPLOAD_LIMITER_URL`);
        return;
      }
      const degraded = said.find((happening) => happening.type === 'limiter-degraded');
      if (!degraded) return yield ok(`${place} counts`);
      const why = troubleOf(degraded.error);
      yield problem(`each process counts for itself: ${why}; mend that, or set UPLOAD_LIMITER_URL`);
    },
  };
}
