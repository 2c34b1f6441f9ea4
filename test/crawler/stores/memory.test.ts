import { expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/crawler/stores/memory.ts';
import { storeContract } from '../../contracts/store.ts';

const open = async () => {
  const store = await openMemoryStore();
  return { store, close: store.close };
};

storeContract('memory', open, false);

test('two memory stores share no values', async () => {
  const [one, other] = [await openMemoryStore(), await openMemoryStore()];
  await one.keyv.set('key', 1);
  expect(await other.keyv.get('key')).toBeUndefined();
  expect(await one.lease()).toBeDefined();
  expect(await other.lease()).toBeDefined();
});
