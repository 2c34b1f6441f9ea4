import type { AnimeEvent, EpisodeEvent } from '../domain/event.ts';
import type { Rows } from '../store/store.ts';
import type { PostOutcome } from './client.ts';
import type { Log } from './cursor.ts';
import type { SendSignals } from './receiver.ts';

/** What differs between the kinds of recipients. */
export interface RecipientKind<Row, Message> {
  /** The key and the name of the receiver that they form together. */
  key: string;
  rows: Rows;
  parse(text: string): Row;
  /** The name of the service that takes its messages. */
  serviceOf(row: Row): string;
  /**
   * The next message about events that announce episodes, the oldest first, of which there is at least one. `upTo`: the last
   * of them that it covers. Undefined where none of them concerns this recipient.
   */
  compose(
    row: Row,
    news: readonly EpisodeEvent[],
    log: Log,
  ): { message: Message; upTo: AnimeEvent } | undefined;
  /** Sends a message once. Never rejects. */
  post(row: Row, message: Message, signals: SendSignals): Promise<PostOutcome>;
  /** After so many failures in a row, a message is dropped; without it, once it is a day old. */
  maxAttempts?: number;
  count(what: 'delivered' | 'failed' | 'gone' | 'dropped', reason?: string): void;
  /** Called after each round. */
  onRound(): void;
  /** Puts back the rows that the store has forgotten. */
  refill?(): Promise<void>;
}
