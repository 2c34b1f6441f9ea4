import { afterAll } from 'vitest';
import type { Defer } from './defer.ts';

/** The removal of a folder with thousands of files takes time. */
const UNDO_LIMIT_MS = 60_000;

/** Registers cleanups of what `beforeAll` opens, because vitest ignores an `afterAll` that is called that late. */
export function untilEnd(): Defer {
  const undos: Parameters<Defer>[0][] = [];
  afterAll(async () => {
    for (const undo of undos.reverse()) await undo();
  }, UNDO_LIMIT_MS);
  return (undo) => void undos.push(undo);
}
