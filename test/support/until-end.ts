import { afterAll } from 'vitest';
import type { Defer } from './defer.ts';

/** Registers what `beforeAll` opens, to be undone at the end: vitest passes over an `afterAll` that comes so late. */
export function untilEnd(): Defer {
  const undos: Parameters<Defer>[0][] = [];
  afterAll(async () => {
    for (const undo of undos.reverse()) await undo();
  });
  return (undo) => void undos.push(undo);
}
