import { AppError } from '../domain/errors.ts';
import { createSums } from './ledger.ts';

interface PlacesOptions {
  /** How many pieces of work may be under way at once: in all, and of one owner. */
  total: number;
  perOwner: number;
  /** How long a place stays taken after its work. */
  restMs?: number;
  /** How long work waits for a place. */
  maxWaitMs: number;
  /** What is under way, for the message of a refusal: `too many files are being checked`. */
  busy: string;
}

const RETRY_MS = 2_000;

/**
 * Limits work that is scarce, so that one owner's never keeps out that of the others: a free place goes to the work that waits
 * whose owner has the fewest. Returns a function that runs work in a place of an owner. When there was none in time, it throws
 * AppError `too-many-requests` where the owner has all that one may have, else `overloaded`.
 */
export function createPlaces({ total, perOwner, restMs = 0, maxWaitMs, busy }: PlacesOptions) {
  const taken = createSums();
  let free = total;
  /** What waits, the oldest of each owner first. */
  const waiting = new Set<{ owner: string; begin: () => void }>();

  function tryTake(owner: string): boolean {
    if (free === 0 || taken.of(owner) === perOwner) return false;
    taken.add([owner], 1);
    free -= 1;
    return true;
  }

  function give(owner: string): void {
    taken.add([owner], -1);
    free += 1;
    let [next] = waiting;
    for (const one of waiting) if (taken.of(one.owner) < taken.of(next!.owner)) next = one;
    if (next && tryTake(next.owner)) {
      waiting.delete(next);
      next.begin();
    }
  }

  async function takePlace(owner: string): Promise<void> {
    if (tryTake(owner)) return;
    const begun = Promise.withResolvers<void>();
    const one = { owner, begin: begun.resolve };
    waiting.add(one);
    const timer = setTimeout(() => {
      waiting.delete(one);
      // An owner that has all of its own places waits for itself, and not for others.
      const code = taken.of(owner) === perOwner ? 'too-many-requests' : 'overloaded';
      begun.reject(new AppError(code, `${busy}; try again in a moment`, { retryAfterMs: RETRY_MS }));
    }, maxWaitMs);
    await begun.promise.finally(() => clearTimeout(timer));
  }

  return async <Result>(owner: string, work: () => Promise<Result>): Promise<Result> => {
    await takePlace(owner);
    try {
      return await work();
    } finally {
      if (restMs > 0) setTimeout(give, restMs, owner).unref();
      else give(owner);
    }
  };
}
