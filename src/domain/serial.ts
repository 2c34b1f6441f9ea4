type Work<Result> = () => Promise<Result>;

/** Returns a function that runs tasks one after another. A failure does not stop later tasks. */
export function inOrder(): <Result>(work: Work<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}

/** Returns a function that runs `work`, unless it is running: calls meanwhile share the run and its result. */
export function single<Result>(work: Work<Result>): Work<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Runs work, which does not fail, now and at an interval, never twice at once. Returns a function that ends and awaits it. */
export function repeat(work: Work<void>, intervalMs: number): Work<void> {
  const run = single(work);
  let last = run();
  const timer = setInterval(() => {
    last = run();
  }, intervalMs);
  return () => {
    clearInterval(timer);
    return last;
  };
}

/**
 * Returns a function that runs `work` once at a time. Calls during a run share the next one, because the current one may
 * have missed what led to them.
 */
export function coalesce<Result>(work: Work<Result>): Work<Result> {
  const run = inOrder();
  let next: Promise<Result> | undefined;
  return () => {
    next ??= run(() => {
      next = undefined;
      return work();
    });
    return next;
  };
}

/** Returns a function that calls `make` once and keeps its result. After a rejection it calls `make` again. */
export function once<Value>(make: Work<Value>): Work<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Runs work until it has succeeded, now and after each failure at an interval. Returns a function that gives it up. */
export function untilSuccess(work: Work<unknown>, intervalMs: number): () => void {
  let isGivenUp = false;
  let timer: NodeJS.Timeout | undefined;
  const attempt = () => {
    work().catch(() => {
      if (!isGivenUp) timer = setTimeout(attempt, intervalMs).unref();
    });
  };
  attempt();
  return () => {
    isGivenUp = true;
    clearTimeout(timer);
  };
}

/** The number of items that are worked on at the same time: few enough for any server, and enough to hide its latency. */
const BATCH = 16;

/** Works on a few items at a time, and throws when none of them is worked on any more. Yields the results in their order. */
export async function* inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  for (let at = 0; at < items.length; at += BATCH) {
    const results = items.slice(at, at + BATCH).map(work);
    await Promise.allSettled(results);
    yield* await Promise.all(results);
  }
}
