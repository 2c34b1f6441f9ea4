import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../../domain/errors.ts';
import type { ThreadState } from '../../domain/health.ts';
import type { Job, OpenThread } from './open-worker.ts';
import { type Connection, type RunningThread, startThread } from './running-thread.ts';
import type { Notes } from './thread-memory.ts';
import type { SendRequest } from './thread-requests.ts';

const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 10_000;
/** A failure after a run of this length counts as the first one again. */
const HEALTHY_AFTER_MS = 60_000;

export interface SupervisedThread {
  /**
   * Resolves when the thread does its job for the first time with `http://ADDRESS:PORT`, or with null where it does not listen;
   * rejects when its first start fails.
   */
  ready: Promise<string | null>;
  state(): ThreadState;
  /** Asks the thread. Resolves with undefined while it does not run, and when it does not reply in time. */
  request: SendRequest;
  /** Ends the thread, so that the supervisor starts it again. */
  restart(reason: Error): void;
  /** Lets the thread finish its requests. */
  stop(): Promise<void>;
}

const sleepUnlessAborted = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal });

/** Starts a job of the service. */
export type StartJob = (options: Job & Connection) => SupervisedThread;

interface SupervisorOptions {
  /** Opens the thread; by default, a worker. */
  open?: OpenThread;
  /** Monotonic clock, ms. */
  clock?: () => number;
  /** Resolves after some ms, and rejects when `signal` is aborted. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/**
 * Keeps a thread running. A thread that throws, runs out of memory or freezes is ended and started again, after a backoff
 * that doubles from 250 ms to ten seconds. A thread whose very first start fails is not: its configuration is wrong.
 * Tests that are not about threads open them in their own one.
 */
export function superviseThread(
  options: Job & Connection,
  { open, clock = () => performance.now(), wait = sleepUnlessAborted }: SupervisorOptions = {},
): SupervisedThread {
  const { name, report, onDown } = options;
  const firstReady = Promise.withResolvers<string | null>();
  const stopping = new AbortController();
  let state: ThreadState = { state: 'starting', since: Date.now(), restarts: 0, reason: null };
  let thread: RunningThread;
  let failures = 0;
  /** What the thread has noted for its next run. */
  const notes: Notes = new Map();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedAt = clock();
      thread = startThread(
        {
          ...options,
          notes: state.restarts === 0 ? undefined : notes,
          onNote: (noted, bytes) => void notes.set(noted, bytes),
          onReady: noteReady,
        },
        open,
      );
      const error = await thread.ended;
      if (stopping.signal.aborted) return;
      if (state.state === 'starting') return giveUp(error);
      if (clock() - startedAt >= HEALTHY_AFTER_MS) failures = 0;
      await backOff(error);
    }
  }

  function noteReady(address: string | null): void {
    if (stopping.signal.aborted) return;
    enter('running');
    firstReady.resolve(address);
  }

  function giveUp(error: Error): void {
    enter('stopped', { reason: describeError(error) });
    firstReady.reject(error);
  }

  async function backOff(error: Error): Promise<void> {
    const retryInMs = Math.min(FIRST_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS);
    failures += 1;
    enter('restarting', { reason: describeError(error), restarts: state.restarts + 1 });
    report({ type: 'thread-failed', thread: name, error, retryInMs });
    await onDown?.();
    await wait(retryInMs, stopping.signal).catch(() => {});
  }

  function enter(next: ThreadState['state'], changes: Partial<ThreadState> = {}): void {
    state = { ...state, ...changes, state: next, since: Date.now() };
  }

  // The caller may never await it: when another thread fails first, the whole start fails with that error.
  firstReady.promise.catch(() => {});
  void run();
  return {
    ready: firstReady.promise,
    state: () => state,
    request: async (request) => (state.state === 'running' ? thread.request(request) : undefined),
    restart: (reason) => thread.end(reason),
    async stop() {
      stopping.abort();
      enter('stopped');
      await thread.stop();
    },
  };
}
