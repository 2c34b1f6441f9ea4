import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../receiver.ts';

/** How many messages are on their way at a time: to services that answer quickly, and to all others. */
const PLACES = { quick: 32, other: 64 } as const;
/** The same to one service. */
const PLACES_OF_ONE = { quick: 24, other: 4 } as const;
/** A service that takes longer for an answer is slow. */
const SLOW_MS = 2_000;
/** The waits before a message that was not accepted is sent again; after the last of them it is dropped. */
const RETRIES_MS = [5_000, 20_000, 300_000];
/** So many services are remembered. */
const MAX_SERVICES = 10_000;
/** How many messages wait for services that are slow or fail. Further ones are dropped. */
const MAX_WAITING = 20_000;

type Failed = Extract<Outcome, { type: 'failed' }>;

/**
 * The result of an attempt. `isDown`: the push service fails, and not this subscription alone. `denial`: why it does not accept
 * this installation.
 */
export type PushOutcome = Outcome & { isDown?: boolean; denial?: string };

interface PushJob {
  /** The push service. */
  origin: string;
  /** Never rejects. */
  send(): Promise<PushOutcome>;
  /** Called with the last outcome. Never rejects. */
  onEnd(outcome: Outcome): Promise<void>;
  /** The waits that are left. */
  retriesMs?: readonly number[];
}

/** `unknown` until the first answer. Those that are `poor`, slow or failing, are not waited for. */
type Pace = 'unknown' | 'quick' | 'poor';

interface Service {
  pace: Pace;
  running: number;
  waiting: PushJob[];
  isPaused: boolean;
}

interface PushServicesOptions {
  retriesMs?: readonly number[];
  slowMs?: number;
  /** Hears of each attempt that failed. */
  onFailure: (reason: string) => void;
}

/**
 * Sends messages to push services, each of which has places of its own: one that is slow or fails takes none from others. Its
 * messages wait in memory, and are sent again some times.
 */
export function createPushServices(options: PushServicesOptions) {
  const { retriesMs: allRetriesMs = RETRIES_MS, slowMs = SLOW_MS, onFailure } = options;
  const services = new Map<string, Service>();
  const running = { quick: 0, other: 0 };
  const stopping = new AbortController();
  /** Those for which messages wait, and how many in all. */
  const queued = new Set<Service>();
  let waiting = 0;
  let freed = Promise.withResolvers<void>();

  function serviceOf(origin: string): Service {
    const known = services.get(origin);
    if (known) return known;
    // Those that are under way are still held by their messages.
    if (services.size >= MAX_SERVICES) services.clear();
    const service: Service = { pace: 'unknown', running: 0, waiting: [], isPaused: false };
    services.set(origin, service);
    return service;
  }

  const poolOf = ({ pace }: Service) => (pace === 'quick' ? 'quick' : 'other');

  function hasPlace(service: Service): boolean {
    const pool = poolOf(service);
    return running[pool] < PLACES[pool] && service.running < PLACES_OF_ONE[pool];
  }

  /** Resolves with whether that was the last attempt. */
  async function run(service: Service, job: PushJob): Promise<boolean> {
    const pool = poolOf(service);
    running[pool] += 1;
    service.running += 1;
    const startedAt = performance.now();
    const outcome = await job.send();
    running[pool] -= 1;
    service.running -= 1;
    service.pace = outcome.isDown || performance.now() - startedAt > slowMs ? 'poor' : 'quick';
    const isOver = outcome.type !== 'failed' || !retryLater(service, job, outcome);
    if (isOver) await job.onEnd(outcome);
    freed.resolve();
    freed = Promise.withResolvers();
    for (const one of queued) workOn(one);
    return isOver;
  }

  /** Whether the message is sent again. One of a service that is down pauses that for as long. */
  function retryLater(
    service: Service,
    job: PushJob,
    { reason, retryAfterMs = 0, isDown }: Failed & PushOutcome,
  ): boolean {
    onFailure(reason);
    const [nextMs, ...retriesMs] = job.retriesMs ?? allRetriesMs;
    const waitMs = Math.max(nextMs ?? allRetriesMs[0] ?? 0, retryAfterMs);
    if (isDown && !service.isPaused) {
      service.isPaused = true;
      later(waitMs, () => {
        service.isPaused = false;
        workOn(service);
      });
    }
    if (nextMs !== undefined) later(waitMs, () => wait(service, { ...job, retriesMs }));
    return nextMs !== undefined;
  }

  function later(waitMs: number, work: () => void): void {
    sleep(waitMs, undefined, { signal: stopping.signal }).then(work, () => {});
  }

  function wait(service: Service, job: PushJob): void {
    if (waiting >= MAX_WAITING) return void job.onEnd({ type: 'failed', reason: 'too many messages wait' });
    service.waiting.push(job);
    queued.add(service);
    waiting += 1;
    workOn(service);
  }

  function workOn(service: Service): void {
    while (service.waiting.length > 0 && !service.isPaused && hasPlace(service)) {
      waiting -= 1;
      // There is one: its length was checked.
      void run(service, service.waiting.shift()!);
    }
    if (service.waiting.length === 0) queued.delete(service);
  }

  return {
    /**
     * Begins to send, once there is a place. `ended` resolves with whether nothing is left to do; at once where the message has
     * to wait for its service.
     */
    async begin(job: PushJob): Promise<{ ended: Promise<boolean> }> {
      const service = serviceOf(job.origin);
      while (service.pace !== 'poor' && !hasPlace(service)) await freed.promise;
      if (service.pace !== 'poor') return { ended: run(service, job) };
      wait(service, job);
      return { ended: Promise.resolve(false) };
    },
    /** Forgets what waits. */
    stop(): void {
      stopping.abort();
      queued.clear();
    },
  };
}
