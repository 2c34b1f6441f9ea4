import type { OperationalEvent } from '../domain/operational-event.ts';
import type { Edition } from '../publishing/edition.ts';
import type { ListingState } from '../publishing/listing-state.ts';
import type { PackedDocuments } from '../publishing/packed-documents.ts';
import type { PlainError } from './plain-error.ts';

/** Every message that passes between the main thread and the others. */

export type ThreadName = 'crawler' | 'uploads';

/** Public addresses, which carry the ports that were bound. */
export interface Origins {
  listing: string;
  uploads: string;
}

/** From the main thread to a thread. */
export type Command =
  /** Sent once the ports are known: a thread starts before that. */
  | { type: 'origins'; origins: Origins }
  /** Asks for a `pong`: a thread that gives none is frozen. */
  | { type: 'ping' }
  /** Answers `port-wanted`: nothing of this process listens on the thread's port any more. */
  | { type: 'port-free' }
  /** Asks for `metrics`. */
  | { type: 'read-metrics'; id: number }
  /** Asks for a graceful end, answered by `stopped`. */
  | { type: 'stop' };

/** What every thread sends to the main thread. */
export type ThreadMessage =
  | { type: 'pong' }
  /** The thread does its job; `address` tells where it listens: `http://ADDRESS:PORT`. */
  | { type: 'ready'; address: string | null }
  /** It cannot do its job, and is to be ended. */
  | { type: 'start-failed'; error: PlainError }
  | { type: 'port-wanted' }
  /** For the log and the metrics. */
  | { type: 'event'; event: OperationalEvent }
  /** prom-client's registry as JSON. */
  | { type: 'metrics'; id: number; metrics: object[] }
  | { type: 'stopped' };

/** What only the crawler sends. The bytes of documents are transferred, not copied. */
export type CrawlerMessage =
  /** What the origin has whatever is listed: assets, the description of the API, well-known files. */
  | { type: 'site'; documents: PackedDocuments }
  | { type: 'edition'; documents: PackedDocuments; edition: Omit<Edition, 'documents'> }
  /** The source, the store, the snapshot or the time of the next crawl is another. */
  | { type: 'state'; state: ListingState };

export type AnyMessage = ThreadMessage | CrawlerMessage;
