import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Rows } from '../store/store.ts';

const PAGE_ROWS = 500;

/** Reads all rows after a key, in the order of their keys. */
export async function* readRows(rows: Rows, after = ''): AsyncGenerator<[key: string, text: string]> {
  for (let last: string | undefined = after; last !== undefined; ) {
    const page: [string, string][] = await rows.after(last, PAGE_ROWS);
    yield* page;
    last = page.at(-1)?.[0];
    // A store may answer without giving way to other work of this thread.
    await nextTurn();
  }
}
