import { openMemoryStore } from '../../../src/store/drivers/memory.ts';
import { storeContract } from '../../contracts/store.ts';

const open = async () => {
  const store = await openMemoryStore();
  return { store, close: store.close };
};

storeContract('memory', open, false);
