import { afterAll, beforeAll } from 'vitest';
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

/** Opens something once for all tests of a file or group. The result has its members from the first test on. */
export function openOnce<Opened extends object>(open: (defer: Defer) => Promise<Opened>): Opened {
  const defer = untilEnd();
  const opened = {} as Opened;
  beforeAll(async () => void Object.assign(opened, await open(defer)));
  return opened;
}
