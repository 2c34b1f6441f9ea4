import { randomUUID } from 'node:crypto';
import { limiterDown } from '../ledger.ts';
import type { HeldSpace } from './held-space.ts';
import { LEASE_MS, type RedisLedger, type StepArguments, type StepOutcome } from './redis-ledger.ts';

/** A quarter of the time after which Redis gives back what a silent process holds. */
const HEARTBEAT_MS = 5_000;

/**
 * The registration of this process in the ledger in Redis. It lasts while Redis answers and gets heartbeats; after a failure the
 * process registers again, under a new name, with what it still holds.
 */
export interface RedisSession {
  /** The name under which this process is or was registered. */
  readonly name: string;
  readonly isRegistered: boolean;
  /** Whether Redis still keeps what this process has taken in `term`. By the clock of Redis a lease may end later, and not earlier. */
  stands(term: number): boolean;
  /**
   * Registers this process with what it holds, all of which is lost where it does not fit any more. Resolves with whether all
   * that is stored has been counted; with false when Redis has failed.
   */
  register(): Promise<boolean>;
  /** Extends the lease, if that is due, and resolves with what the ledger has counted; undefined when it is not due. */
  keepAlive(): Promise<LedgerCounts | undefined>;
  sendHeartbeat(): Promise<LedgerCounts>;
  /** Does something under a name of this process. Rejects with AppError `limiter-down`. */
  attempt<Result>(work: () => Promise<Result>, as?: string): Promise<Result>;
  /** Takes a step of the ledger as `attempt` does. */
  step(what: string, args?: StepArguments, as?: string): Promise<StepOutcome>;
  /** A registration that is under way, during which what is held must not change. */
  readonly registering: Promise<unknown> | undefined;
  /** AppError `limiter-down`, with what Redis has failed with. */
  failure(): Error;
  /** From now on a failure changes nothing. */
  close(): void;
}

/** What a heartbeat answers. */
export interface LedgerCounts {
  bytes: number;
  files: number;
  /** How many other processes were found dead. */
  dead: number;
}

interface SessionOptions {
  ledger: RedisLedger;
  held: HeldSpace;
  /** Monotonic clock, ms. */
  elapsedMs: () => number;
  /** Called when Redis has failed, before the process registers again. */
  onLost: () => void;
}

export function createRedisSession({ ledger, held, elapsedMs, onLost }: SessionOptions): RedisSession {
  let name = '';
  let isRegistered = false;
  let isClosed = false;
  /** When the lease was last extended. */
  let leasedAt = Number.NEGATIVE_INFINITY;
  let cause: unknown;
  let registering: Promise<boolean> | undefined;

  function lose(as: string, error: unknown): void {
    if (as !== name || isClosed) return;
    isRegistered = false;
    cause = error;
    onLost();
  }

  function requireRegistered(as: string): void {
    if (!isRegistered || as !== name) throw limiterDown(cause);
  }

  async function attempt<Result>(work: () => Promise<Result>, as = name): Promise<Result> {
    requireRegistered(as);
    const result = await work().catch((error: unknown) => {
      lose(as, error);
      throw limiterDown(error);
    });
    // What this process had taken under an earlier name has been given back.
    requireRegistered(as);
    return result;
  }

  const step = (what: string, args: StepArguments = [], as = name) =>
    attempt(() => ledger.run(as, what, args), as);

  async function register(): Promise<boolean> {
    const next = randomUUID();
    const at = elapsedMs();
    try {
      const { numbers } = await ledger.run(next, 'register', [name, ...held.describe()]);
      const [isCounted, stands] = numbers;
      name = next;
      leasedAt = at;
      isRegistered = true;
      if (stands !== 1) held.lose();
      return isCounted === 1;
    } catch (error) {
      lose(name, error);
      return false;
    }
  }

  async function sendHeartbeat(): Promise<LedgerCounts> {
    const at = elapsedMs();
    const [bytes = 0, files = 0, dead = 0] = (await step('heartbeat')).numbers;
    leasedAt = at;
    return { bytes, files, dead };
  }

  return {
    get name() {
      return name;
    },
    get isRegistered() {
      return isRegistered;
    },
    get registering() {
      return registering;
    },
    stands: (term) => term === held.term && elapsedMs() - leasedAt < LEASE_MS,
    async register() {
      registering = register();
      const isCounted = await registering;
      registering = undefined;
      return isCounted;
    },
    keepAlive: async () => (elapsedMs() - leasedAt >= HEARTBEAT_MS ? sendHeartbeat() : undefined),
    sendHeartbeat,
    attempt,
    step,
    failure: () => limiterDown(cause),
    close() {
      isClosed = true;
    },
  };
}
