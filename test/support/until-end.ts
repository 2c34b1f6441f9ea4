import { afterAll } from 'vitest';
import type { Defer } from './defer.ts';

/** A folder may hold thousands of files. */
const UNDO_LIMIT_MS = 60_000;

/** Registers what `beforeAll` opens, to be undone at the end: vitest passes over an `afterAll` that comes so late. */
export function untilEnd(): Defer {
  const undos: Parameters<Defer>[0][] = [];
  afterAll(async () => {
    for (const undo of undos.reverse()) await undo();
  }, UNDO_LIMIT_MS);
  return (undo) => void undos.push(undo);
}
