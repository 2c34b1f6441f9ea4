export type Row = [key: string, text: string];

/** How many rows are worked on at a time. */
const CONCURRENCY = 32;
/** The progress is stored after so many rows: a crash repeats at most these, and those under way. */
const SAVE_EVERY = 200;

interface WorkOptions {
  /** The key before the first row. */
  after: string;
  signal: AbortSignal;
  /** Called from time to time with a key: all rows up to it are done. */
  onProgress: (doneUpTo: string) => Promise<void>;
}

/** Works on rows in their order. A slow one delays no other. Starts no more once `signal` is aborted; resolves with how far it has come. */
export async function workThrough(
  rows: AsyncIterable<Row>,
  work: (row: Row) => Promise<void>,
  { after, signal, onProgress }: WorkOptions,
): Promise<string> {
  /** In the order of their start. */
  const running = new Map<string, { before: string; done: Promise<void> }>();
  const doneUpTo = () => running.values().next().value?.before ?? last;
  let last = after;
  let started = 0;

  async function start(row: Row): Promise<void> {
    const [key] = row;
    const done = work(row).finally(() => running.delete(key));
    // It is awaited below, but another one may reject before.
    done.catch(() => {});
    running.set(key, { before: last, done });
    last = key;
    started += 1;
    if (started % SAVE_EVERY === 0) await onProgress(doneUpTo());
    if (running.size >= CONCURRENCY) await Promise.race([...running.values()].map((one) => one.done));
  }

  for await (const row of rows) {
    if (signal.aborted) break;
    await start(row);
  }
  await Promise.all([...running.values()].map((one) => one.done));
  return last;
}
