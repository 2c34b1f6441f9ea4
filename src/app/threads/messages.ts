import type { CheckedDependencies, DependencyReasons } from '../../domain/health.ts';
import type { OperationalEvent } from '../../domain/operational-event.ts';
import type { ChannelChange } from '../../outbox/channels/channel.ts';
import type { ChannelOutcome } from '../../outbox/channels/channels.ts';
import type { ChangeOutcome, SubscriptionChange } from '../../outbox/push/subscription.ts';
import type { DocumentChanges } from '../../publishing/document-changes.ts';
import type { Edition } from '../../publishing/edition.ts';
import type { ListingState } from '../../publishing/listing-state.ts';

/**
 * Every message that passes between the main thread and the others. A thread's life is:
 *
 *     main                       thread
 *     starts the worker   ────▶  loads its modules, opens its store; after a restart, it gets its earlier notes
 *     origins             ────▶  once all ports are known
 *                         ◀────  port-requested, if it listens
 *     port-free           ────▶  binds the port
 *                         ◀────  ready; a thread that cannot start throws, which ends it
 *     ping                ────▶  every second
 *                         ◀────  pong; event, note, site, edition, state, dependencies
 *     request             ────▶
 *                         ◀────  reply, after everything that the thread sent before it
 *     stop                ────▶  finishes what is in flight, and ends
 */

/** Public addresses, which carry the ports that were bound. */
export interface Origins {
  listing: string;
  uploads: string;
}

/** From the main thread to a thread. */
export type Command =
  /** Sent once the ports are known; a thread starts before that. */
  | { type: 'origins'; origins: Origins }
  /** Asks for a `pong`: a thread that runs for too long without sending anything counts as frozen. */
  | { type: 'ping' }
  /** Replies to `port-requested`: the main thread no longer listens on the thread's port. */
  | { type: 'port-free' }
  /** `id` is repeated in the reply. */
  | { type: 'request'; id: number; request: ThreadRequest }
  /** Asks for a graceful end. */
  | { type: 'stop' };

export type ThreadRequest =
  /** Asks for the metrics of the thread, at a scrape. */
  | { kind: 'metrics' }
  /** Changes a subscription to Web Push. */
  | { kind: 'push'; change: SubscriptionChange }
  /** Begins or ends the announcements in a channel. */
  | { kind: 'channel'; change: ChannelChange }
  /** Passes on an operational event of another thread: the crawler sends it to webhooks. */
  | { kind: 'event'; event: OperationalEvent }
  /** Asks the crawler to read the store now. */
  | { kind: 'read-store' }
  /** Asks the crawler for a file of a cover: a hash and an extension. */
  | { kind: 'cover'; name: string };

/** What is replied to each kind of request. */
export interface Replies {
  /** As the JSON of their library. */
  metrics: object[];
  push: ChangeOutcome;
  channel: ChannelOutcome;
  event: null;
  /** Whether the last edition that was sent has everything that the store had after the request. */
  'read-store': boolean;
  /** Null where the store does not have it, undefined where it does not answer. */
  cover: Uint8Array | null | undefined;
}

/** From every thread to the main thread. */
type ThreadMessage =
  | { type: 'pong' }
  /** The thread does its job. `address`: where it listens, `http://ADDRESS:PORT`; null if it does not listen. */
  | { type: 'ready'; address: string | null }
  | { type: 'port-requested' }
  | { type: 'reply'; id: number; reply: Replies[keyof Replies] }
  /** An operational event for the log. An error in it is a PlainError. */
  | { type: 'event'; event: OperationalEvent }
  /**
   * What the next run of the thread needs to know: JSON in UTF-8. It replaces the last note of this name. The bytes are
   * transferred.
   */
  | { type: 'note'; name: string; bytes: Uint8Array<ArrayBuffer> };

/** From a job to the main thread. The bytes of documents are transferred, not copied. */
export type JobMessage =
  /** The documents that do not depend on the listing: assets, the API's description, well-known files. */
  | { type: 'site'; documents: DocumentChanges }
  | { type: 'edition'; documents: DocumentChanges; edition: Omit<Edition, 'documents'> }
  /** Sent whenever the state of the source, the store, the snapshot or the schedule has changed. */
  | { type: 'state'; state: ListingState }
  /** Sent by the uploads once all dependencies have been checked, and whenever one has changed. */
  | { type: 'dependencies'; states: CheckedDependencies; reasons: DependencyReasons };

export type AnyMessage = ThreadMessage | JobMessage;
