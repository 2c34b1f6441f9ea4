import type { Report } from '../../domain/operational-event.ts';
import { createGate, endThread } from './gate.ts';
import type { AnyMessage, Command, JobMessage, Origins } from './messages.ts';
import { type Job, openWorker, type RunData } from './open-worker.ts';
import { fromPlainError, toPlainError, unpackEvent } from './plain-error.ts';
import { watchSilence } from './silence.ts';
import { createThreadRequests, type SendRequest } from './thread-requests.ts';

const PING_EVERY_MS = 1_000;
/** How long a thread may take to stop once its requests have ended. */
const LAST_STEPS_MS = 5_000;

/** What connects the threads with the rest of the process. */
export interface Connection {
  /** Sent to a thread as soon as the ports are bound. */
  origins: Promise<Origins>;
  onMessage: (message: JobMessage) => void;
  report: Report;
}

type RunOptions = Job &
  Connection & {
    notes: RunData['notes'];
    /** Called with notes for the next run. */
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
  /** Lets the thread finish its requests, and ends it if that takes too long. */
  stop(): Promise<void>;
}

export function startThread(options: RunOptions, open = openWorker): RunningThread {
  const { name, data, notes, origins, report } = options;
  const ended = Promise.withResolvers<Error>();
  const requests = createThreadRequests(post);
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
        requests.settle(message.id, message.reply);
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
    requests.end();
  }

  /** Messages that the thread sent before still count: they may be on their way. */
  function end(error: Error): void {
    if (failure) return;
    failure = error;
    stopAsking();
    endThread(worker, gate);
  }

  return {
    ended: ended.promise,
    end,
    request: requests.send,
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
