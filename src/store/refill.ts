import type { Report } from '../domain/operational-event.ts';
import type { KnownValues } from './known-values.ts';
import type { SnapshotStore, Written } from './snapshot-store.ts';
import type { Lease, LeaseName } from './store.ts';
import { isForgotten } from './stored-listing.ts';

/** Every process hears of a loss within five seconds. */
const OTHERS_MS = 5_000;

/** Writes back what this process knows and its store has lost. */
export interface Refilling extends Pick<SnapshotStore, 'refill' | 'isSettled'> {
  /**
   * Takes the lease `refresh`. If the store lost data, waits some seconds first, so that other processes can restore
   * theirs.
   */
  leaseFilled(): Promise<Lease | undefined>;
}

interface RefillOptions {
  known: KnownValues;
  /** Reads the values, and remembers newer ones. */
  store: Pick<SnapshotStore, 'readListing' | 'readStatus' | 'readPositions'>;
  /** A lease of the driver. */
  lease: (name: LeaseName) => Promise<Lease | undefined>;
  write: (taken: Lease, written: Written) => Promise<void>;
  report: Report;
  /** Monotonic clock, ms. */
  clock: () => number;
}

export function createRefilling({ known, store, lease, write, report, clock }: RefillOptions): Refilling {
  /** Until when the lease `refresh` is left to other processes. */
  let othersUntil = 0;
  /** When it was last found that the store has forgotten something. */
  let lostAt = Number.NEGATIVE_INFINITY;

  /** What this process knows and the store lacks; undefined when it lacks nothing. */
  async function findForgotten(): Promise<Written | undefined> {
    const before = known.current();
    const { attempts } = await store.readStatus();
    const listing = await store.readListing();
    const hasPositions = await store.readPositions();
    const lost: Written = {};
    if (attempts.attemptedAt === null && before.status.attempts.attemptedAt !== null)
      lost.status = before.status;
    if (before.listing && isForgotten(listing, before.listing)) lost.listing = before.listing;
    if (!hasPositions) lost.positions = known.current().positions;
    if (!lost.status && !lost.listing && !lost.positions) return undefined;
    lostAt = clock();
    return lost;
  }

  /** Resolves with whether the store had everything. */
  async function refillUnder(taken: Lease): Promise<boolean> {
    const forgotten = await findForgotten();
    if (!forgotten) return true;
    await write(taken, forgotten);
    othersUntil = clock() + OTHERS_MS;
    if (forgotten.listing) report({ type: 'store-refilled', events: forgotten.listing.events.length });
    return false;
  }

  return {
    async refill() {
      if (!(await findForgotten())) return true;
      const taken = await lease('refresh');
      return taken ? refillUnder(taken).finally(taken.release) : false;
    },
    async leaseFilled() {
      if (clock() < othersUntil) return undefined;
      const taken = await lease('refresh');
      let isFilled = false;
      try {
        isFilled = taken !== undefined && (await refillUnder(taken));
        return isFilled ? taken : undefined;
      } finally {
        if (!isFilled) await taken?.release();
      }
    },
    isSettled: () => clock() - lostAt >= OTHERS_MS,
  };
}
