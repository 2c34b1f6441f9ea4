import { beforeAll } from 'vitest';
import type { Store } from '../../../src/listing/snapshot-store.ts';
import { openRedisStore } from '../../../src/listing/stores/redis.ts';
import { storeContract } from '../../contracts/store.ts';
import { describeWithRedis, openTestRedis, type TestRedis } from '../../support/redis.ts';
import { untilEnd } from '../../support/upload-client.ts';

describeWithRedis('a Redis', () => {
  let redis: TestRedis;
  const atEnd = untilEnd();

  beforeAll(async () => {
    redis = await openTestRedis(atEnd);
  });

  storeContract('redis', openRedis, true);

  async function openRedis() {
    const url = redis.url();
    const opened: Store[] = [];
    const reopen = async () => {
      const store = await openRedisStore(url);
      opened.push(store);
      return store;
    };
    const close = async () => {
      await Promise.all(opened.map((store) => store.close()));
    };
    return { store: await reopen(), reopen, close };
  }
});
