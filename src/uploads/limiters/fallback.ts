import type { Report } from '../../domain/operational-event.ts';
import type { Bucket, Limiter, Verdict } from '../limiter.ts';

/** How long a limiter that has failed is not used, so that only few requests wait for its timeout. */
const RETRY_AFTER_MS = 2_000;

interface FallbackOptions {
  primary: Limiter;
  /** Never fails. */
  fallback: Limiter;
  report: Report;
  /** Monotonic, ms. */
  elapsedMs: () => number;
}

/**
 * Uses the fallback while the primary limiter fails, and reports each change between them. Requests that the primary
 * allows are counted in the fallback too, so that a failure resets nobody's count.
 */
export function withFallback({ primary, fallback, report, elapsedMs }: FallbackOptions): Limiter {
  let failedAt: number | undefined;
  let retryAt = Number.NEGATIVE_INFINITY;

  async function run(operation: 'take' | 'peek', buckets: readonly Bucket[]): Promise<Verdict> {
    if (elapsedMs() < retryAt) return fallback[operation](buckets);
    // One request finds out whether the primary answers again; the others do not wait for it.
    if (failedAt !== undefined) retryAt = elapsedMs() + RETRY_AFTER_MS;
    try {
      const verdict = await primary[operation](buckets);
      if (operation === 'take' && verdict.ok) await fallback.take(buckets);
      restore();
      return verdict;
    } catch (error) {
      degrade(error);
      return fallback[operation](buckets);
    }
  }

  function restore(): void {
    if (failedAt !== undefined) report({ type: 'limiter-restored', downMs: elapsedMs() - failedAt });
    failedAt = undefined;
    retryAt = Number.NEGATIVE_INFINITY;
  }

  function degrade(error: unknown): void {
    if (failedAt === undefined) report({ type: 'limiter-degraded', error });
    failedAt ??= elapsedMs();
    retryAt = elapsedMs() + RETRY_AFTER_MS;
  }

  return {
    take: (buckets) => run('take', buckets),
    peek: (buckets) => run('peek', buckets),
    check: primary.check,
    async close() {
      await primary.close();
      await fallback.close();
    },
  };
}
