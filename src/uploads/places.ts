import { AppError } from '../domain/errors.ts';

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

interface Waiting {
  owner: string;
  begin: () => void;
}

export type Places = ReturnType<typeof createPlaces>;

/**
 * Limits work that is scarce, so that one owner's never keeps out that of the others: a free place goes to the work that waits
 * whose owner has the fewest. Returns a function that runs work in a place of an owner, and throws AppError `overloaded` when
 * there was none in time.
 */
export function createPlaces({ total, perOwner, restMs = 0, maxWaitMs, busy }: PlacesOptions) {
  const taken = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let underWay = 0;

  const takenBy = (owner: string) => taken.get(owner) ?? 0;
  const hasPlace = (owner: string) => underWay < total && takenBy(owner) < perOwner;

  function add(owner: string, places: 1 | -1): void {
    underWay += places;
    const now = takenBy(owner) + places;
    if (now > 0) taken.set(owner, now);
    else taken.delete(owner);
  }

  function beginNext(): void {
    const next = [...waiting]
      .filter(({ owner }) => hasPlace(owner))
      .reduce<Waiting | undefined>(
        (best, one) => (best && takenBy(best.owner) <= takenBy(one.owner) ? best : one),
        undefined,
      );
    next?.begin();
  }

  function give(owner: string): void {
    add(owner, -1);
    beginNext();
  }

  async function takePlace(owner: string): Promise<void> {
    if (hasPlace(owner)) return add(owner, 1);
    const begun = Promise.withResolvers<void>();
    const one = { owner, begin };
    const timer = setTimeout(() => {
      waiting.delete(one);
      begun.reject(new AppError('overloaded', `${busy}; try again in a moment`, { retryAfterMs: RETRY_MS }));
    }, maxWaitMs);
    function begin(): void {
      clearTimeout(timer);
      waiting.delete(one);
      add(owner, 1);
      begun.resolve();
    }
    waiting.add(one);
    return begun.promise;
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

const RETRY_MS = 2_000;
