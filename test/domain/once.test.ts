import { expect, test } from 'vitest';
import { once } from '../../src/domain/once.ts';

test('once creates a value once for concurrent and later calls', async () => {
  let made = 0;
  const get = once(async () => {
    made += 1;
    return made;
  });
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect(await get()).toBe(1);
});

test('once creates the value again after a failure', async () => {
  let tries = 0;
  const get = once(async () => {
    tries += 1;
    if (tries === 1) throw new Error('too many open files');
    return tries;
  });
  await expect(Promise.all([get(), get()])).rejects.toThrow('too many open files');
  expect(await get()).toBe(2);
});
