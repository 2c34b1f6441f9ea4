import type { ThreadJob } from '../../../src/app/threads/run-thread.ts';

/** A thread that fails as `trouble` says, shortly after its first start. Later starts succeed. */
export async function start({ trouble, lives }: { trouble: string; lives: Int32Array }): Promise<ThreadJob> {
  const life = Atomics.add(lives, 0, 1);
  if (trouble === 'cannot start') throw new Error('there is nothing to start');
  if (trouble === 'never starts') await new Promise(() => {});
  if (life === 0) setTimeout(() => TROUBLES[trouble]?.(), 20);
  return { address: null, readMetrics: async () => [{ life }], stop: async () => {} };
}

const TROUBLES: Record<string, () => void> = {
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
  'runs out of memory'() {
    const kept: string[][] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, () => Math.random().toString()));
  },
};
