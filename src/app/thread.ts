import { flushCompileCache } from 'node:module';
import { setPriority } from 'node:os';
import { parentPort, type Transferable } from 'node:worker_threads';
import type { Report } from '../domain/operational-event.ts';
import type { AnyMessage, Command, Origins } from './messages.ts';
import { toPlainError } from './plain-error.ts';

/** What a thread's job is given. */
export interface ThreadContext {
  post(message: AnyMessage, transfer?: Transferable[]): void;
  /** Passes an operational event on to the main thread. */
  report: Report;
  origins: Promise<Origins>;
  /** Resolves once nothing of this process listens on the port that this thread binds. */
  portIsFree(): Promise<void>;
}

export interface ThreadJob {
  /** `http://ADDRESS:PORT`; null for a job that does not listen. */
  address: string | null;
  stop(): Promise<void>;
  /** prom-client's registry as JSON. */
  readMetrics(): Promise<object[]>;
}

/**
 * Runs a job in a worker thread: answers pings from the first moment, starts the job, tells how that ended, and stops
 * the job when told to. `niceness`: how far the operating system puts this thread, once it has started, behind the one
 * that serves readers.
 */
export async function runThread(
  start: (context: ThreadContext) => Promise<ThreadJob>,
  niceness: number,
): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('this module is the entry of a worker thread');
  const post = (message: AnyMessage, transfer: Transferable[] = []) => port.postMessage(message, transfer);
  const { promise: free, resolve: portIsFree } = Promise.withResolvers<void>();
  const { promise: origins, resolve: setOrigins } = Promise.withResolvers<Origins>();
  const { promise: started, resolve: setStarted } = Promise.withResolvers<ThreadJob>();

  port.on('message', (command: Command) => {
    if (command.type === 'ping') post({ type: 'pong' });
    else if (command.type === 'origins') setOrigins(command.origins);
    else if (command.type === 'port-free') portIsFree();
    else if (command.type === 'read-metrics') void sendMetrics(command.id);
    else void stop();
  });
  async function sendMetrics(id: number): Promise<void> {
    const { readMetrics } = await started;
    post({ type: 'metrics', id, metrics: await readMetrics() });
  }

  async function stop(): Promise<void> {
    const job = await started;
    await job.stop();
    post({ type: 'stopped' });
  }

  try {
    const job = await start({
      post,
      origins,
      report: (event) => post({ type: 'event', event: withPlainError(event) }),
      portIsFree() {
        post({ type: 'port-wanted' });
        return free;
      },
    });
    setStarted(job);
    lowerPriority(niceness);
    post({ type: 'ready', address: job.address });
    // A thread is ended, and would take along what it has compiled.
    flushCompileCache();
  } catch (error) {
    post({ type: 'start-failed', error: toPlainError(error) });
  }
}

/** Linux gives each thread a priority of its own; elsewhere the call would lower that of the whole process. */
function lowerPriority(niceness: number): void {
  if (process.platform === 'linux') setPriority(niceness);
}

function withPlainError<Event extends object>(event: Event): Event {
  return 'error' in event ? { ...event, error: toPlainError(event.error) } : event;
}
