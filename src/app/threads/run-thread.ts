import type { MessagePort, Transferable } from 'node:worker_threads';
import type { OperationalEvent, Report } from '../../domain/operational-event.ts';
import type { ChannelChange } from '../../outbox/channels/channel.ts';
import type { ChannelOutcome } from '../../outbox/channels/channels.ts';
import type { ChangeOutcome, SubscriptionChange } from '../../outbox/push/subscription.ts';
import type { AnyMessage, Command, Origins, Replies, ThreadRequest } from './messages.ts';
import { packEvent } from './plain-error.ts';
import type { Notes } from './thread-memory.ts';

/** What the job of a thread uses to communicate with the main thread. */
export interface ThreadContext {
  post(message: AnyMessage, transfer?: Transferable[]): void;
  /** Passes an operational event on to the main thread. */
  report: Report;
  origins: Promise<Origins>;
  /** What earlier runs of this thread have noted; undefined in the first run of the process. */
  notes: Notes | undefined;
  /** Asks the main thread for the port of this thread. Resolves once nobody listens on it. */
  requestPort(): Promise<void>;
}

/** What a thread does, once it has started. */
export interface ThreadJob {
  /** `http://ADDRESS:PORT`; null for a job that does not listen. */
  address: string | null;
  stop(): Promise<void>;
  /** The metrics of the thread, as their library's JSON. */
  readMetrics(): Promise<object[]>;
  /** Stores a change of a subscription to Web Push. Never rejects. */
  changeSubscription?: ((change: SubscriptionChange) => Promise<ChangeOutcome>) | undefined;
  /** Begins or ends the announcements in a channel. Never rejects. */
  changeChannel?: ((change: ChannelChange) => Promise<ChannelOutcome>) | undefined;
  /** Resolves with whether the last edition that was sent has everything that the store had after the call. Never rejects. */
  readStore?: (() => Promise<boolean>) | undefined;
  /** Reads a file of a cover from the store; null where it has none. */
  readCover?: ((name: string) => Promise<Uint8Array | null>) | undefined;
  /** Called with operational events of other threads that this one is to know. */
  onEvent?: ((event: OperationalEvent) => void) | undefined;
}

interface RunThreadOptions {
  start: (context: ThreadContext) => Promise<ThreadJob>;
  /** The port to the main thread. */
  main: MessagePort;
  /** What earlier runs of the thread have noted; undefined in the first one. */
  notes: Notes | undefined;
  /** Ends the thread. */
  end: () => void;
}

/**
 * Runs the job of a thread: answers pings from the first moment, starts the job, and stops it on `stop`. Resolves once the job
 * is done from then on.
 */
export async function runThread({ start, main, notes, end }: RunThreadOptions): Promise<void> {
  const post = (message: AnyMessage, transfer: Transferable[] = []) => main.postMessage(message, transfer);
  const { promise: portFree, resolve: setPortFree } = Promise.withResolvers<void>();
  const { promise: origins, resolve: setOrigins } = Promise.withResolvers<Origins>();
  const { promise: started, resolve: setStarted } = Promise.withResolvers<ThreadJob>();
  let job: ThreadJob | undefined;

  main.on('message', async (command: Command) => {
    if (command.type === 'ping') post({ type: 'pong' });
    else if (command.type === 'origins') setOrigins(command.origins);
    else if (command.type === 'port-free') setPortFree();
    else if (command.type === 'request')
      post({ type: 'reply', id: command.id, reply: await replyTo(await started, command.request) });
    else await stop();
  });

  /**
   * Ends the thread from within. A job that has not begun has nothing in flight, and may wait for a port that is never bound.
   */
  async function stop(): Promise<void> {
    await job?.stop();
    end();
  }

  job = await start({
    post,
    origins,
    notes,
    report: (event) => post({ type: 'event', event: packEvent(event) }),
    requestPort() {
      post({ type: 'port-requested' });
      return portFree;
    },
  });
  setStarted(job);
  post({ type: 'ready', address: job.address });
}

/** What a job replies to a request. One that has nothing to do with subscriptions stores none. */
async function replyTo(job: ThreadJob, request: ThreadRequest): Promise<Replies[ThreadRequest['kind']]> {
  if (request.kind === 'metrics') return job.readMetrics();
  if (request.kind === 'push') return (await job.changeSubscription?.(request.change)) ?? 'failed';
  if (request.kind === 'channel') return (await job.changeChannel?.(request.change)) ?? { type: 'failed' };
  if (request.kind === 'read-store') return (await job.readStore?.()) ?? false;
  if (request.kind === 'cover') return job.readCover?.(request.name).catch(() => undefined);
  job.onEvent?.(request.event);
  return null;
}
