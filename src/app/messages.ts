import type { Happening } from '../domain/report.ts';
import type { ListingState } from '../publishing/listing-state.ts';
import type { PackedEdition } from './edition-packing.ts';
import type { PlainError } from './plain-error.ts';

/** Every message that passes between the main thread and the others. */

export type ThreadName = 'crawler' | 'uploads';

/** From the main thread to a thread. */
export type Command =
  /** Asks for a `pong`: a thread that gives none is frozen. */
  | { type: 'ping' }
  /** Answers `port-wanted`: nothing of this process listens on the thread's port any more. */
  | { type: 'port-free' }
  /** Asks for `metrics`. */
  | { type: 'read-metrics'; id: number }
  /** Asks for a graceful end, told by `stopped`. */
  | { type: 'stop' };

/** What every thread sends to the main thread. */
export type ThreadMessage =
  | { type: 'pong' }
  /** The thread does its job. `address` and `url` where it listens. */
  | { type: 'ready'; address?: string; url?: string }
  /** It cannot, and ends. */
  | { type: 'start-failed'; error: PlainError }
  | { type: 'port-wanted' }
  /** For the log and the metrics. */
  | { type: 'event'; event: Happening }
  /** prom-client's registry as JSON. */
  | { type: 'metrics'; id: number; metrics: object[] }
  | { type: 'stopped' };

/** What only the crawler sends. */
export type CrawlerMessage =
  /** A new edition, which belongs together with `state`. Its bytes are transferred. */
  | { type: 'edition'; edition: PackedEdition; state: ListingState }
  /** The state of the source or of the store has changed; the edition has not. */
  | { type: 'state'; state: ListingState };

export type AnyMessage = ThreadMessage | CrawlerMessage;
