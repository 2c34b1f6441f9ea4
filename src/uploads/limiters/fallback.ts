import type { Report } from '../../domain/operational-event.ts';
import type { Limiter, Verdict } from '../limiter.ts';

/** How long a limiter that has failed is left alone, so that not every request waits for it. */
const REST_MS = 2_000;

export interface FallbackOptions {
  main: Limiter;
  /** Never fails. */
  substitute: Limiter;
  report: Report;
  /** Monotonic, ms. */
  now: () => number;
}

/**
 * Asks the one limiter and, while that fails, the other; says so at the change only. What the main one lets in is
 * counted in the substitute as well, so that nobody begins anew here when that is needed.
 */
export function withSubstitute({ main, substitute, report, now }: FallbackOptions): Limiter {
  let failedAt: number | undefined;
  let restsUntil = Number.NEGATIVE_INFINITY;

  async function ask(
    askMain: () => Promise<Verdict>,
    askSubstitute: () => Promise<Verdict>,
  ): Promise<Verdict> {
    if (now() < restsUntil) return askSubstitute();
    // One request finds out whether it answers again; the others do not wait for that.
    if (failedAt !== undefined) restsUntil = now() + REST_MS;
    try {
      const verdict = await askMain();
      restore();
      return verdict;
    } catch (error) {
      degrade(error);
      return askSubstitute();
    }
  }

  function restore(): void {
    if (failedAt !== undefined) report({ type: 'limiter-restored', downMs: now() - failedAt });
    failedAt = undefined;
    restsUntil = Number.NEGATIVE_INFINITY;
  }

  function degrade(error: unknown): void {
    if (failedAt === undefined) report({ type: 'limiter-degraded', error });
    failedAt ??= now();
    restsUntil = now() + REST_MS;
  }

  return {
    async take(keys) {
      const takeFromBoth = async () => {
        const verdict = await main.take(keys);
        if (verdict.ok) await substitute.take(keys);
        return verdict;
      };
      return ask(takeFromBoth, async () => substitute.take(keys));
    },
    look: (keys) =>
      ask(
        async () => main.look(keys),
        async () => substitute.look(keys),
      ),
    async close() {
      await main.close();
      await substitute.close();
    },
  };
}
