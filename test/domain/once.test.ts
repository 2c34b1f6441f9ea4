import { expect, test } from 'vitest';
import { once } from '../../src/domain/once.ts';

test('a value is made once, for all who ask at once and later', async () => {
  let made = 0;
  const get = once(async () => {
    made += 1;
    return made;
  });
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect(await get()).toBe(1);
});

test('what failed is made again by whoever asks next', async () => {
  let tries = 0;
  const get = once(async () => {
    tries += 1;
    if (tries === 1) throw new Error('too many open files');
    return tries;
  });
  await expect(Promise.all([get(), get()])).rejects.toThrow('too many open files');
  expect(await get()).toBe(2);
});
