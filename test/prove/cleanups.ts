import type { Defer } from '../support/defer.ts';

/** Works with what registers its cleanups, and runs these in the end, the last one first. */
export async function withCleanups<Result>(work: (defer: Defer) => Promise<Result>): Promise<Result> {
  const undos: Parameters<Defer>[0][] = [];
  try {
    return await work((undo) => void undos.push(undo));
  } finally {
    for (const undo of undos.reverse()) await undo();
  }
}
