/** Runs an action for every item, some at once; resolves with the results in order. */
export async function runAll<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  action: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = [...items].entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await action(item);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
