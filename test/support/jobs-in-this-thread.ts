import { setImmediate } from 'node:timers';
import type { Transferable } from 'node:worker_threads';
import type { AnyMessage, JobMessage, Origins } from '../../src/app/threads/messages.ts';
import { packEvent, unpackEvent } from '../../src/app/threads/plain-error.ts';
import { replyTo, type ThreadContext, type ThreadJob } from '../../src/app/threads/run-thread.ts';
import type { StartJob, SupervisedThread } from '../../src/app/threads/supervisor.ts';
import type { ThreadState } from '../../src/domain/health.ts';
import type { Report } from '../../src/domain/operational-event.ts';

/**
 * Runs the jobs of a service in the thread of the test. To start a thread takes longer than most tests, so only those
 * that are about threads start them. Messages are cloned and arrive later, in order, as they do between threads.
 */
export const startInThisThread: StartJob = (options) => {
  const { origins, onMessage, report, onPortRequested = async () => {} } = options;
  const start = async (context: ThreadContext) => {
    if (options.name === 'crawler')
      return (await import('../../src/app/crawler-thread.ts')).start(options.data, context);
    return (await import('../../src/app/uploads-thread.ts')).start(options.data, context);
  };
  return runHere(start, { origins, onMessage, report, requestPort: onPortRequested });
};

interface Connections {
  origins: Promise<Origins>;
  onMessage(message: JobMessage): void;
  report: Report;
  requestPort(): Promise<void>;
}

type Start = (context: ThreadContext) => Promise<ThreadJob>;

function runHere(start: Start, { origins, onMessage, report, requestPort }: Connections): SupervisedThread {
  let state: ThreadState = { state: 'starting', since: Date.now(), restarts: 0, reason: null };
  const enter = (next: ThreadState['state']) => {
    state = { ...state, state: next, since: Date.now() };
  };
  const deliver = (arrive: () => void) => void setImmediate(arrive);

  function post(message: AnyMessage, transfer: Transferable[] = []): void {
    // A job itself posts nothing else; the other messages are of the thread around it.
    const arrived = structuredClone(message, { transfer }) as JobMessage;
    deliver(() => onMessage(arrived));
  }

  const job = start({
    post,
    origins,
    requestPort,
    report(event) {
      const arrived = structuredClone(packEvent(event));
      deliver(() => report(unpackEvent(arrived)));
    },
  });
  const { promise: ready, resolve, reject } = Promise.withResolvers<string | null>();
  ready.catch(() => enter('stopped'));
  job.then(({ address }) => {
    deliver(() => {
      if (state.state === 'starting') enter('running');
      resolve(address);
    });
  }, reject);

  return {
    ready,
    state: () => state,
    request: async (request) => (await replyTo(await job, structuredClone(request))) as never,
    restart: () => {
      throw new Error('only a job in a thread of its own can be restarted');
    },
    async stop() {
      // A job that is still starting may wait for a port that is never bound.
      const isRunning = state.state === 'running';
      enter('stopped');
      if (isRunning) await (await job).stop();
    },
  };
}
