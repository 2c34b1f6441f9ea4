import { readConfig } from '../../src/app/config.ts';
import { startService } from '../../src/app/service.ts';
import type { StartJob } from '../../src/app/threads/supervisor.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { describeEvent } from '../../src/telemetry/describe-event.ts';
import type { Defer } from '../support/defer.ts';

const TROUBLES = new Set<OperationalEvent['type']>([
  'selectors-repaired',
  'attempt-failed',
  'mirror-failed',
  'card-omitted',
]);

/** What the log says of trouble that an attempt coped with, or tried to. */
export function describeTroubles(events: readonly OperationalEvent[]): string[] {
  return events.filter((event) => TROUBLES.has(event.type)).map(describeEvent);
}

/** One attempt of the service's at a crawl; times by a monotonic clock, ms. */
export interface Attempt {
  startedAt: number;
  endedAt: number;
  isGood: boolean;
  /** Whether the log said that the state had changed for the worse. */
  isNews: boolean;
  /** What the log said of trouble that it coped with, or tried to. */
  troubles: string[];
}

export type WatchedService = Awaited<ReturnType<typeof watchService>>;

/** The whole service in this process, with an eye on its attempts. */
export async function watchService(environment: Record<string, string>, startJob: StartJob, defer: Defer) {
  const attempts: Attempt[] = [];
  const waiting = new Set<(attempt: Attempt) => void>();
  let startedAt: number | undefined;
  let troubles: string[] = [];

  function note(event: OperationalEvent): void {
    if (event.type === 'refresh-started') startedAt ??= performance.now();
    troubles.push(...describeTroubles([event]));
    if (event.type === 'refresh-finished') end(true, false);
    if (event.type === 'refresh-refused') end(false, event.isNews);
  }

  function end(isGood: boolean, isNews: boolean): void {
    const endedAt = performance.now();
    const attempt = { startedAt: startedAt ?? endedAt, endedAt, isGood, isNews, troubles };
    startedAt = undefined;
    troubles = [];
    attempts.push(attempt);
    for (const resolve of waiting) resolve(attempt);
    waiting.clear();
  }

  const service = await startService(
    readConfig({ PORT: '0', UPLOAD_PORT: '0', ...environment }, '0.0.0'),
    note,
    startJob,
  );
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= service.stop();
    return stopped;
  };
  defer(stop);

  return {
    address: service.listing ?? '',
    /** Every attempt that has ended. */
    attempts,
    /** Resolves with the next attempt that ends. Rejects after `limitMs`. */
    async nextAttempt(limitMs: number) {
      const { promise, resolve, reject } = Promise.withResolvers<Attempt>();
      waiting.add(resolve);
      const timer = setTimeout(() => reject(new Error(`no attempt has ended within ${limitMs} ms`)), limitMs);
      return promise.finally(() => clearTimeout(timer));
    },
    stop,
  };
}
