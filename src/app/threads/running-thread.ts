import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { OperationalEvent, Report } from '../../domain/operational-event.ts';
import type {
  AnyMessage,
  Command,
  JobMessage,
  Origins,
  Replies,
  ThreadName,
  ThreadRequest,
} from './messages.ts';
import { fromPlainError, unpackEvent } from './plain-error.ts';

const ENTRY = new URL('./start-thread.js', import.meta.url);
/** How long a reply may take. A scrape does not wait for a thread that is busy. */
const REPLY_TIMEOUT_MS: Record<ThreadRequest['kind'], number> = { metrics: 1_000, push: 5_000 };
const PING_EVERY_MS = 1_000;
const MAX_SILENCE_MS = 10_000;

export interface ThreadOptions {
  name: ThreadName;
  /** The module with the job: it exports `start`, which gets `data` and a ThreadContext, and resolves with a ThreadJob. */
  entry: URL;
  data: object;
  /** How far behind the main thread the operating system schedules this one, once it has started. */
  niceness: number;
  /** Sent to the thread as soon as the ports are bound. */
  origins: Promise<Origins>;
  limits: ResourceLimits;
  onMessage?: (message: JobMessage) => void;
  /** Called before the thread binds its port. */
  onPortRequested?: () => Promise<void>;
  /** How long the thread may take to stop. */
  stopTimeoutMs: number;
  /** A thread that sends nothing for this time is frozen. */
  maxSilenceMs?: number | undefined;
  report: Report;
}

export type SendRequest = <Request extends ThreadRequest>(
  request: Request,
) => Promise<Replies[Request['kind']] | undefined>;

/** Starts a run of a thread, which lasts until its end. */
export function startThread(options: ThreadOptions) {
  const { name, entry, data, niceness, limits, report, maxSilenceMs = MAX_SILENCE_MS } = options;
  const ready = Promise.withResolvers<string | null>();
  const ended = Promise.withResolvers<Error>();
  const requests = new Map<number, (reply: unknown) => void>();
  let lastRequestId = 0;
  let failure: Error | undefined;
  let isReady = false;

  const workerData = { entry: entry.href, data, niceness };
  const worker = new Worker(ENTRY, { name, workerData, resourceLimits: limits });
  let silentMs = 0;
  // Silence is counted in pings, so that time in which this thread itself did not run (a suspended machine) does not count.
  const heartbeat = setInterval(() => {
    silentMs += PING_EVERY_MS;
    if (silentMs <= maxSilenceMs) post({ type: 'ping' });
    else end(new Error(`it has not answered for ${maxSilenceMs / 1_000} s`));
  }, PING_EVERY_MS);
  worker.on('message', (message: AnyMessage) => {
    silentMs = 0;
    handle(message);
  });
  void options.origins.then((origins) => post({ type: 'origins', origins }));
  worker.on('error', end);
  worker.once('exit', (code) => {
    clearInterval(heartbeat);
    ended.resolve(failure ?? new Error(`it ended with code ${code}`));
  });

  function handle(message: AnyMessage): void {
    switch (message.type) {
      case 'pong':
        break;
      case 'ready':
        isReady = true;
        ready.resolve(message.address);
        break;
      case 'start-failed':
        end(fromPlainError(message.error));
        break;
      case 'port-requested':
        void freePort();
        break;
      case 'event':
        report(unpackEvent(message.event));
        break;
      case 'reply':
        requests.get(message.id)?.(message.reply);
        break;
      default:
        options.onMessage?.(message);
    }
  }

  async function freePort(): Promise<void> {
    await options.onPortRequested?.();
    post({ type: 'port-free' });
  }

  function post(command: Command): void {
    worker.postMessage(command);
  }

  function end(error: unknown): void {
    failure ??= error instanceof Error ? error : new Error(String(error));
    void worker.terminate();
  }

  return {
    /** Resolves with its address once the thread does its job; stays pending when it cannot start. */
    ready: ready.promise,
    /** Resolves with the reason once the thread has ended. */
    ended: ended.promise,
    /** Ends the thread at once. */
    end,
    sendEvent: (event: OperationalEvent) => post({ type: 'event', event }),
    /** Asks the thread. Resolves with undefined when it does not reply in time. */
    request<Request extends ThreadRequest>(request: Request) {
      lastRequestId += 1;
      const id = lastRequestId;
      const { promise, resolve } = Promise.withResolvers<unknown>();
      requests.set(id, resolve);
      post({ type: 'request', id, request });
      const timer = setTimeout(resolve, REPLY_TIMEOUT_MS[request.kind]);
      // A thread replies with what its kind of request has in `Replies`.
      return (promise as Promise<Replies[Request['kind']] | undefined>).finally(() => {
        clearTimeout(timer);
        requests.delete(id);
      });
    },
    /** Lets the thread finish what is in flight, and ends it when that takes too long. */
    async stop(): Promise<void> {
      if (!isReady) failure ??= new Error('stopped before it was ready');
      post({ type: 'stop' });
      const timer = setTimeout(() => void worker.terminate(), options.stopTimeoutMs);
      await ended.promise;
      clearTimeout(timer);
    },
  };
}
