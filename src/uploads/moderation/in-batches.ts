/** The number of items that are worked on at the same time: few enough for any server, and enough to hide its latency. */
const BATCH = 16;

/** Works on a few items at a time. Yields the results in the order of the items. */
export async function* inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  for (let at = 0; at < items.length; at += BATCH) {
    yield* await Promise.all(items.slice(at, at + BATCH).map(work));
  }
}
