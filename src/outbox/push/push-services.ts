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

/** The result of an attempt. `isDown`: the push service fails, and not this subscription alone. */
export type PushOutcome = Outcome & { isDown?: boolean };

interface PushJob {
  /** The push service. */
  origin: string;
  send(): Promise<PushOutcome>;
  /** Called with the last outcome. Never rejects. */
  onEnd(outcome: Outcome): Promise<void>;
  attempts?: number;
}

/** `unknown` until the first answer. Only `quick` ones are waited for. */
type Pace = 'unknown' | 'quick' | 'poor';

interface Service {
  pace: Pace;
  running: number;
  waiting: PushJob[];
  pause: NodeJS.Timeout | undefined;
}

/**
 * Sends messages to push services, each of which has places of its own: one that is slow or fails takes none from others. Its
 * messages wait in memory, and are sent again some times. `onFailure` hears of each attempt that failed.
 */
export function createPushServices({
  retriesMs = RETRIES_MS,
  slowMs = SLOW_MS,
  onFailure,
}: {
  retriesMs?: readonly number[];
  slowMs?: number;
  onFailure: (reason: string) => void;
}) {
  const services = new Map<string, Service>();
  const running = { quick: 0, other: 0 };
  const timers = new Set<NodeJS.Timeout>();
  /** Those for which messages wait, and how many in all. */
  const queued = new Set<Service>();
  let waiting = 0;
  let freed = Promise.withResolvers<void>();

  function serviceOf(origin: string): Service {
    const known = services.get(origin);
    if (known) return known;
    // Those that are under way are still held by their messages.
    if (services.size >= MAX_SERVICES) services.clear();
    const service: Service = { pace: 'unknown', running: 0, waiting: [], pause: undefined };
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
    try {
      const outcome = await job.send();
      const isPoor = outcome.isDown || performance.now() - startedAt > slowMs;
      service.pace = isPoor ? 'poor' : 'quick';
      if (outcome.type === 'failed') return retry(service, job, outcome);
      await job.onEnd(outcome);
      return true;
    } finally {
      running[pool] -= 1;
      service.running -= 1;
      freed.resolve();
      freed = Promise.withResolvers();
      for (const one of queued) workOn(one);
    }
  }

  async function retry(
    service: Service,
    job: PushJob,
    outcome: Extract<PushOutcome, { type: 'failed' }>,
  ): Promise<boolean> {
    const attempts = job.attempts ?? 0;
    const waitMs = Math.max(retriesMs[attempts] ?? 0, outcome.retryAfterMs ?? 0);
    onFailure(outcome.reason);
    if (outcome.isDown && !service.pause) {
      service.pause = later(waitMs || (retriesMs[0] ?? 0), () => {
        service.pause = undefined;
        workOn(service);
      });
    }
    const isLast = attempts === retriesMs.length;
    if (isLast) await job.onEnd(outcome);
    else later(waitMs, () => wait(service, { ...job, attempts: attempts + 1 }));
    return isLast;
  }

  function later(waitMs: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, waitMs);
    timers.add(timer);
    return timer;
  }

  function wait(service: Service, job: PushJob): void {
    if (waiting >= MAX_WAITING) return void job.onEnd({ type: 'failed', reason: 'too many messages wait' });
    service.waiting.push(job);
    queued.add(service);
    waiting += 1;
    workOn(service);
  }

  function workOn(service: Service): void {
    while (service.waiting.length > 0 && !service.pause && hasPlace(service)) {
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
      for (const timer of timers) clearTimeout(timer);
      services.clear();
      queued.clear();
    },
  };
}
