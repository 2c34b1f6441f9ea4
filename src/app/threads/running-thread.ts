import type { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Report } from '../../domain/operational-event.ts';
import type { CrawlerData } from '../crawler-thread.ts';
import type { UploadsData } from '../uploads-thread.ts';
import { createGate, endThread, type Gate } from './gate.ts';
import type { AnyMessage, Command, JobMessage, Origins, Replies, ThreadRequest } from './messages.ts';
import { fromPlainError, toPlainError, unpackEvent } from './plain-error.ts';
import { watchSilence } from './silence.ts';
import type { Notes } from './thread-memory.ts';

/**
 * Of each thread, the module of its job, which exports `start`; how far behind the main thread the operating system schedules
 * it, once it has started; and the memory that it may have.
 */
const THREADS = {
  crawler: {
    entry: new URL('../crawler-thread.ts', import.meta.url),
    // It runs behind the main thread and the uploads, on which clients wait.
    niceness: 4,
    // A hostile page of 5 MB takes some hundred megabytes while it is parsed. A larger young generation only adds to idle memory.
    resourceLimits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 4 },
  },
  uploads: {
    entry: new URL('../uploads-thread.ts', import.meta.url),
    // They run behind the main thread.
    niceness: 2,
    // With 1 MB of young generation, small downloads take a third more CPU time; with 8 MB, hardly less.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 },
  },
};

const ENTRY = new URL('./start-thread.js', import.meta.url);
/** How long a reply may take. A scrape does not wait for a thread that is busy. */
const REPLY_TIMEOUT_MS: Record<ThreadRequest['kind'], number> = {
  metrics: 1_000,
  push: 5_000,
  event: 5_000,
  'read-store': 5_000,
  cover: 5_000,
};
const PING_EVERY_MS = 1_000;
/** How long a thread may take to stop once its requests have ended. */
const LAST_STEPS_MS = 5_000;

/** What differs between the threads. */
export type Job = ({ name: 'crawler'; data: CrawlerData } | { name: 'uploads'; data: UploadsData }) & {
  /** Called before the thread binds its port. */
  onPortRequested?: () => Promise<void>;
  /** Called after each failure, before the backoff. */
  onDown?: () => Promise<void>;
};

/** What connects the threads with the rest of the process. */
export interface Connection {
  /** Sent to a thread as soon as the ports are bound. */
  origins: Promise<Origins>;
  onMessage: (message: JobMessage) => void;
  report: Report;
}

export type SendRequest = <Request extends ThreadRequest>(
  request: Request,
) => Promise<Replies[Request['kind']] | undefined>;

/** What a run of a thread gets besides its job. */
export interface RunData {
  /** What earlier runs have noted; undefined in the first one. */
  notes: Notes | undefined;
  gate: Gate;
}

/** Opens a thread that runs a job: a worker, of which no more is used than this. */
export type OpenThread = (
  job: Job,
  run: RunData,
) => Pick<EventEmitter, 'on'> & Pick<Worker, 'postMessage' | 'terminate' | 'cpuUsage'>;

const openWorker: OpenThread = ({ name, data }, run) => {
  const { entry, niceness, resourceLimits } = THREADS[name];
  const workerData = { entry: entry.href, data, niceness, ...run };
  return new Worker(ENTRY, { name, workerData, resourceLimits });
};

type RunOptions = Job &
  Connection & {
    notes: RunData['notes'];
    /** Called with what the next run needs to know. */
    onNote: (name: string, bytes: Uint8Array) => void;
    /** Called with its address once the thread does its job, and never when it cannot start. */
    onReady: (address: string | null) => void;
  };

/** A run of a thread, which lasts until its end. */
export interface RunningThread {
  /** Resolves with the reason once the thread has ended. */
  ended: Promise<Error>;
  /** Ends the thread at once. */
  end(reason: Error): void;
  /** Asks the thread. Resolves with undefined when it does not reply in time. */
  request: SendRequest;
  /** Lets the thread finish what is in flight, and ends it when that takes too long. */
  stop(): Promise<void>;
}

export function startThread(options: RunOptions, open = openWorker): RunningThread {
  const { name, data, notes, origins, report } = options;
  const ended = Promise.withResolvers<Error>();
  /** What settles each request that has no reply yet, by its id. */
  const replies = new Map<number, (reply: unknown) => void>();
  let requests = 0;
  let failure: Error | undefined;

  const gate = createGate();
  const worker = open(options, { notes, gate });
  const silence = watchSilence({
    async readCpuMs() {
      const { user, system } = await worker.cpuUsage();
      return (user + system) / 1_000;
    },
    onFrozen: (cpuMs) => end(new Error(`it has run for ${Math.round(cpuMs / 1_000)} s without an answer`)),
    onStarved: (silentMs) => report({ type: 'thread-starved', thread: name, silentMs }),
    onAnswer: (silentMs) => report({ type: 'thread-answers', thread: name, silentMs }),
  });
  const heartbeat = setInterval(() => {
    post({ type: 'ping' });
    silence.tick(PING_EVERY_MS);
  }, PING_EVERY_MS);
  worker.on('message', (message: AnyMessage) => {
    if (!failure) silence.end();
    handle(message);
  });
  void origins.then((known) => post({ type: 'origins', origins: known }));
  worker.on('error', (error) => end(fromPlainError(toPlainError(error))));
  worker.on('exit', (code) => {
    stopAsking();
    ended.resolve(failure ?? new Error(`it ended with code ${code}`));
  });

  function handle(message: AnyMessage): void {
    switch (message.type) {
      case 'pong':
        break;
      case 'ready':
        if (failure) break;
        silence.noteReady();
        options.onReady(message.address);
        break;
      case 'port-requested':
        void options.onPortRequested?.().then(() => post({ type: 'port-free' }));
        break;
      case 'reply':
        replies.get(message.id)?.(message.reply);
        break;
      case 'event':
        report(unpackEvent(message.event));
        break;
      case 'note':
        options.onNote(message.name, message.bytes);
        break;
      default:
        options.onMessage(message);
    }
  }

  function post(command: Command): void {
    worker.postMessage(command);
  }

  /** Nothing is expected of the thread any more. */
  function stopAsking(): void {
    clearInterval(heartbeat);
    for (const settle of replies.values()) settle(undefined);
  }

  /** Messages that the thread sent before still count: they may be on their way. */
  function end(error: Error): void {
    if (failure) return;
    failure = error;
    stopAsking();
    endThread(worker, gate);
  }

  const request: SendRequest = async (request) => {
    if (failure) return undefined;
    requests += 1;
    const id = requests;
    return new Promise((resolve) => {
      const settle = (reply: unknown) => {
        clearTimeout(timer);
        replies.delete(id);
        // The thread replies to each kind of request with the type that `Replies` has for it.
        resolve(reply as never);
      };
      const timer = setTimeout(settle, REPLY_TIMEOUT_MS[request.kind], undefined);
      timer.unref();
      replies.set(id, settle);
      post({ type: 'request', id, request });
    });
  };

  return {
    ended: ended.promise,
    end,
    request,
    async stop() {
      post({ type: 'stop' });
      const { delayMs, graceMs } = data.config.shutdown;
      const tooLate = () => end(new Error('it has not stopped in time'));
      const timer = setTimeout(tooLate, delayMs + graceMs + LAST_STEPS_MS);
      await ended.promise;
      clearTimeout(timer);
    },
  };
}
