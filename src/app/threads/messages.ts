import type { CheckedDependencies } from '../../domain/health.ts';
import type { OperationalEvent } from '../../domain/operational-event.ts';
import type { ChangeOutcome, SubscriptionChange } from '../../outbox/push/subscription.ts';
import type { Edition } from '../../publishing/edition.ts';
import type { ListingState } from '../../publishing/listing-state.ts';
import type { PackedDocuments } from '../../publishing/packed-documents.ts';
import type { PlainError } from './plain-error.ts';

/**
 * Every message that passes between the main thread and the others. A thread's life is:
 *
 *     main                       thread
 *     starts the worker   ────▶  loads its modules, opens its store
 *     origins             ────▶  once all ports are known
 *                         ◀────  port-requested, if it listens
 *     port-free           ────▶  binds the port
 *                         ◀────  ready, or start-failed
 *     ping                ────▶  every second
 *                         ◀────  pong; event, site, edition, state, push-key, dependencies
 *     request             ────▶  for metrics, at a scrape; to change a subscription to Web Push
 *                         ◀────  reply
 *     event               ────▶  of another thread; the crawler tells receivers of webhooks
 *     stop                ────▶  finishes what is in flight, and ends
 */

export type ThreadName = 'crawler' | 'uploads';

/** Public addresses, which carry the ports that were bound. */
export interface Origins {
  listing: string;
  uploads: string;
}

/** From the main thread to a thread. */
export type Command =
  /** Sent once the ports are known; a thread starts before that. */
  | { type: 'origins'; origins: Origins }
  /** Asks for a `pong`: a thread that sends nothing for too long counts as frozen. */
  | { type: 'ping' }
  /** Replies to `port-requested`: the main thread no longer listens on the thread's port. */
  | { type: 'port-free' }
  /** Asks for a `reply` with the same id. */
  | { type: 'request'; id: number; request: ThreadRequest }
  /** Passes on an operational event of another thread. */
  | { type: 'event'; event: OperationalEvent }
  /** Asks for a graceful end. */
  | { type: 'stop' };

export type ThreadRequest = { kind: 'metrics' } | { kind: 'push'; change: SubscriptionChange };

export interface Replies {
  /** The metrics of the thread, as their library's JSON. */
  metrics: object[];
  push: ChangeOutcome;
}

/** From every thread to the main thread. */
type ThreadMessage =
  | { type: 'pong' }
  /** The thread does its job. `address`: where it listens, `http://ADDRESS:PORT`; null for one that does not. */
  | { type: 'ready'; address: string | null }
  /** The thread cannot do its job, and is to be ended. */
  | { type: 'start-failed'; error: PlainError }
  | { type: 'port-requested' }
  /** An operational event for the log. An error in it is a PlainError. */
  | { type: 'event'; event: OperationalEvent }
  /** What the kind of request has in `Replies`. */
  | { type: 'reply'; id: number; reply: Replies[ThreadRequest['kind']] };

/** From the crawler to the main thread. The bytes of documents are transferred, not copied. */
export type CrawlerMessage =
  /** The documents that do not depend on the listing: assets, the API's description, well-known files. */
  | { type: 'site'; documents: PackedDocuments }
  | { type: 'edition'; documents: PackedDocuments; edition: Omit<Edition, 'documents'> }
  /** Sent whenever the state of the source, the store, the snapshot or the schedule has changed. */
  | { type: 'state'; state: ListingState }
  /** The public key for subscriptions to Web Push. */
  | { type: 'push-key'; key: string };

/** From the uploads to the main thread. */
type UploadsMessage =
  /** Sent once all dependencies have been checked, and whenever one has changed. */
  { type: 'dependencies'; states: CheckedDependencies };

/** From a job to the main thread. */
export type JobMessage = CrawlerMessage | UploadsMessage;

export type AnyMessage = ThreadMessage | JobMessage;
