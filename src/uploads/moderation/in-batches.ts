/** Few enough for any server, and enough to hide its latency. */
const BATCH = 16;

/** Yields the results in the order of the items, of which a few are worked on at the same time. */
export async function* inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  for (let at = 0; at < items.length; at += BATCH) {
    yield* await Promise.all(items.slice(at, at + BATCH).map(work));
  }
}
