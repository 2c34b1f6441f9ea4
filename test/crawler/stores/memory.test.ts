import { expect, test } from 'vitest';
import { openMemoryStore } from '../../../src/crawler/stores/memory.ts';
import { storeContract } from '../../contracts/store.ts';
import { writeValues } from '../../support/write-store.ts';

const open = async () => {
  const store = await openMemoryStore();
  return { store, close: store.close };
};

storeContract('memory', open, false);

test('two memory stores share no values', async () => {
  const [one, other] = [await openMemoryStore(), await openMemoryStore()];
  await writeValues(one, { key: 1 });
  expect(await other.keyv.get('key')).toBeUndefined();
  expect(await one.lease('refresh')).toBeDefined();
  expect(await other.lease('refresh')).toBeDefined();
});
