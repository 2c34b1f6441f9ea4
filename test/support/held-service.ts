import { readConfig } from '../../src/app/config.ts';
import { startService } from '../../src/app/service.ts';
import { openRedisStore } from '../../src/store/drivers/redis.ts';
import { STORE_DRIVERS } from '../../src/store/drivers.ts';
import type { Store } from '../../src/store/store.ts';
import { startInThisThread } from './jobs-in-this-thread.ts';

/*
 * A service in a process of its own, and in one thread, that can be held before and after everything that it changes in the
 * store. Its parent sends the number of the step to hold at, counted from then on, and any text to go on. It is sent the
 * address of the listing, `write` for each write, and the name of the step that is held.
 */
const leaseMs = Number(process.env.TEST_LEASE_MS);
const send = (message: object) => void process.send?.(message);
let steps = 0;
let goOn = () => {};

process.on('message', (message) => {
  if (typeof message === 'number') steps = message;
  else goOn();
});

async function step(name: string): Promise<void> {
  steps -= 1;
  if (steps !== 0) return;
  const held = Promise.withResolvers<void>();
  goOn = held.resolve;
  send({ held: name });
  await held.promise;
}

/** `change` with a step before and after it. */
async function within(name: string, change: () => Promise<void>): Promise<void> {
  await step(`before ${name}`);
  await change();
  await step(`after ${name}`);
}

function holdSteps(store: Store): Store {
  return {
    ...store,
    async lease(name) {
      const lease = await store.lease(name);
      if (lease) await step(`after taking ${name}`);
      return (
        lease && {
          ...lease,
          write: (values) =>
            within(`writing ${Object.keys(values)}`, async () => {
              send({ wrote: Object.keys(values) });
              await lease.write(values);
            }),
          release: () => within(`releasing ${name}`, lease.release),
        }
      );
    },
  };
}

const { 'sqlite:': openSqlite } = STORE_DRIVERS;
STORE_DRIVERS['sqlite:'] = async (...of) => holdSteps(await openSqlite!(...of));
STORE_DRIVERS['redis:'] = async (url) => holdSteps(await openRedisStore(url, { leaseMs }));

const service = await startService(readConfig(process.env, '0.0.0'), () => {}, startInThisThread);
send({ address: service.listing });
