/**
 * How far the receivers of messages have come, in one value. Every process keeps it with the events, so that a store that was
 * lost gets both back in one step. There is one from the first opening of a store on: where it is missing, it was lost.
 */
export interface StoredPositions {
  /** Rises with each write: of two states, the one with the higher revision knows more. */
  revision: number;
  /** By the key of a receiver; only the outbox reads the values. */
  receivers: Readonly<Record<string, object>>;
  /** Marks an empty store, so that the other processes write the positions they remember. */
  isLost?: boolean;
}

/** Those of a store that nobody has sent from. */
export const NO_POSITIONS: StoredPositions = { revision: 0, receivers: {} };

/** Whether one state knows more than another. */
export function knowsMore(one: StoredPositions, other: StoredPositions | undefined): boolean {
  if (!other || one.revision !== other.revision) return one.revision > (other?.revision ?? -1);
  return other.isLost === true && !one.isLost;
}
