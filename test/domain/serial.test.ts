import { describe, expect, test } from 'vitest';
import { coalesce, inBatches, inOrder, once, single } from '../../src/domain/serial.ts';

/** A function whose runs end when the test says so, in the order in which they began. */
function controlled() {
  const runs: PromiseWithResolvers<number>[] = [];
  const work = () => {
    const run = Promise.withResolvers<number>();
    runs.push(run);
    return run.promise;
  };
  return { runs, work };
}

/** Lets everything that waits for a settled promise run. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('inOrder', () => {
  test('begins a step when the one before has ended, whether it failed or not', async () => {
    const { runs, work } = controlled();
    const run = inOrder();
    const first = run(work);
    const second = run(work);
    await settle();
    expect(runs).toHaveLength(1);
    runs[0]?.reject(new Error('the disk is full'));
    await expect(first).rejects.toThrow('the disk is full');
    await settle();
    expect(runs).toHaveLength(2);
    runs[1]?.resolve(2);
    expect(await second).toBe(2);
  });
});

describe('single', () => {
  test('shares a run among the calls during it, and begins another one after its end', async () => {
    const { runs, work } = controlled();
    const get = single(work);
    const calls = [get(), get()];
    runs[0]?.reject(new Error('the disk is full'));
    for (const call of calls) await expect(call).rejects.toThrow('the disk is full');
    const later = get();
    runs[1]?.resolve(2);
    expect(await later).toBe(2);
    expect(runs).toHaveLength(2);
  });
});

describe('coalesce', () => {
  test('shares the next run among the calls during one, and begins it when that one has ended', async () => {
    const { runs, work } = controlled();
    const get = coalesce(work);
    const first = get();
    await settle();
    const later = [get(), get()];
    await settle();
    expect(runs).toHaveLength(1);
    runs[0]?.reject(new Error('the disk is full'));
    await expect(first).rejects.toThrow('the disk is full');
    await settle();
    runs[1]?.resolve(2);
    expect(await Promise.all(later)).toEqual([2, 2]);
    expect(runs).toHaveLength(2);
  });
});

test('once creates a value once for concurrent and later calls, and again after a failure', async () => {
  let tries = 0;
  const get = once(async () => {
    tries += 1;
    if (tries === 1) throw new Error('too many open files');
    return tries;
  });
  await expect(Promise.all([get(), get()])).rejects.toThrow('too many open files');
  expect(await Promise.all([get(), get()])).toEqual([2, 2]);
  expect(await get()).toBe(2);
});

test('inBatches throws when the other items of the batch have ended', async () => {
  const { runs, work } = controlled();
  let hasEnded = false;
  const batch = Array.fromAsync(inBatches([1, 2], work)).finally(() => {
    hasEnded = true;
  });
  runs[0]?.reject(new Error('one was refused'));
  await settle();
  expect([runs.length, hasEnded]).toEqual([2, false]);
  runs[1]?.resolve(2);
  await expect(batch).rejects.toThrow('one was refused');
});
