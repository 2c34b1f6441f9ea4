import { randomBytes } from 'node:crypto';
import type { ThreadJob } from '../../../src/app/threads/run-thread.ts';
import { createDocument } from '../../../src/publishing/document.ts';

export interface TroubledData {
  trouble: string;
  /** How often the thread was started, and what a blocked thread waits for. */
  shared: Int32Array;
}

/** A thread that fails as `trouble` says, shortly after its first start. Later starts succeed. */
export async function start({ trouble, shared }: TroubledData): Promise<ThreadJob> {
  const life = Atomics.add(shared, 0, 1);
  if (trouble === 'cannot start') throw new Error('there is nothing to start');
  if (life === 0) setTimeout(() => TROUBLES[trouble]?.(shared), 20);
  return { address: null, readMetrics: async () => [{ life }], stop: async () => {} };
}

const TROUBLES: Record<string, (shared: Int32Array) => void> = {
  throws() {
    throw new Error('something broke');
  },
  rejects() {
    void Promise.reject(new Error('nobody caught this'));
  },
  exits: () => process.exit(3),
  freezes() {
    for (;;) Math.random();
  },
  compresses() {
    // Each compression takes seconds, with hardly any time between two of them.
    const content = randomBytes(2_000_000).toString('base64');
    for (;;) createDocument('text/plain', content, 0);
  },
  'is blocked': (shared) => void Atomics.wait(shared, 1, 0),
  'runs out of memory'() {
    const kept: string[][] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, () => Math.random().toString()));
  },
};
