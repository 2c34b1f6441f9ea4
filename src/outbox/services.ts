import { setTimeout as sleep } from 'node:timers/promises';

/** How many attempts are under way at a time: at services that answer quickly, and at all others. */
const PLACES = { quick: 32, other: 128 } as const;
/** The same at one service. */
const PLACES_OF_ONE = { quick: 24, other: 4 } as const;
/** A service that takes longer for an answer is slow. */
const SLOW_MS = 2_000;
/** So many services are remembered. */
const MAX_SERVICES = 10_000;

/** How an attempt went for the service it was made at. */
export interface Attempted {
  /** The service fails, and not for this recipient alone. */
  isDown: boolean;
  tookMs: number;
  /** How long a service that is down is left alone. */
  pauseMs: number;
}

export interface ServiceJob {
  /** The name of the service whose places and pauses it shares. */
  service: string;
  /** Makes one attempt. Never rejects. */
  attempt(): Promise<Attempted>;
}

/**
 * Sends to services, each of which has places of its own, and pauses while it is down: a slow or failing service takes no
 * place from the others.
 */
export interface Services {
  /**
   * Begins a job once it has a place. Where its service is slow or down, `isWaiting` says at once that it waits apart. `ended`
   * resolves when the attempt is over.
   */
  begin(job: ServiceJob): Promise<{ isWaiting: boolean; ended: Promise<void> }>;
  /** Begins a job after some time. */
  later(waitMs: number, job: ServiceJob): void;
  /** Drops the jobs that have not begun. */
  stop(): void;
}

/** Services that are `poor`, slow or down, are not waited for. `unknown` until the first answer. */
type Condition = 'unknown' | 'quick' | 'poor';

interface Service {
  condition: Condition;
  running: number;
  /** What starts each job that waits, the first one first. */
  waiting: (() => void)[];
  isPaused: boolean;
}

export function createServices({ slowMs = SLOW_MS }: { slowMs?: number | undefined } = {}): Services {
  const services = new Map<string, Service>();
  const running = { quick: 0, other: 0 };
  const stopping = new AbortController();
  /** Those with jobs that wait. */
  const queued = new Set<Service>();
  let freed = Promise.withResolvers<void>();

  function serviceOf(name: string): Service {
    const known = services.get(name);
    if (known) return known;
    // Those that are forgotten here are still held by their jobs.
    if (services.size >= MAX_SERVICES) services.clear();
    const service: Service = { condition: 'unknown', running: 0, waiting: [], isPaused: false };
    services.set(name, service);
    return service;
  }

  const poolOf = ({ condition }: Service) => (condition === 'quick' ? 'quick' : 'other');

  function hasPlace(service: Service): boolean {
    const pool = poolOf(service);
    return running[pool] < PLACES[pool] && service.running < PLACES_OF_ONE[pool];
  }

  async function run(service: Service, job: ServiceJob): Promise<void> {
    const pool = poolOf(service);
    running[pool] += 1;
    service.running += 1;
    const { isDown, tookMs, pauseMs } = await job.attempt();
    running[pool] -= 1;
    service.running -= 1;
    service.condition = isDown || tookMs > slowMs ? 'poor' : 'quick';
    if (isDown) pause(service, pauseMs);
    freed.resolve();
    freed = Promise.withResolvers();
    for (const one of queued) workOn(one);
  }

  function pause(service: Service, pauseMs: number): void {
    if (service.isPaused) return;
    service.isPaused = true;
    after(pauseMs, () => {
      service.isPaused = false;
      workOn(service);
    });
  }

  function after(waitMs: number, work: () => void): void {
    sleep(waitMs, undefined, { signal: stopping.signal }).then(work, () => {});
  }

  function queue(service: Service, job: ServiceJob): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    service.waiting.push(() => resolve(run(service, job)));
    queued.add(service);
    workOn(service);
    return promise;
  }

  function workOn(service: Service): void {
    while (!stopping.signal.aborted && service.waiting.length > 0 && !service.isPaused && hasPlace(service))
      service.waiting.shift()?.();
    if (service.waiting.length === 0) queued.delete(service);
  }

  return {
    async begin(job) {
      const service = serviceOf(job.service);
      while (service.condition !== 'poor' && !hasPlace(service)) await freed.promise;
      const isWaiting = service.condition === 'poor';
      return { isWaiting, ended: isWaiting ? queue(service, job) : run(service, job) };
    },
    later: (waitMs, job) => after(waitMs, () => void queue(serviceOf(job.service), job)),
    stop: () => stopping.abort(),
  };
}
