import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSubscriptions } from '../../src/outbox/push/subscription.ts';
import { nameOf } from '../../src/store/event-position.ts';
import { MORE } from '../support/more-runs.ts';
import { readStates } from '../support/outbox.ts';
import { openPushService } from '../support/push-service.ts';
import { describeWithRedis, openTestRedis } from '../support/redis.ts';
import { startScript } from '../support/run-script.ts';
import { temporaryFolder } from '../support/service.ts';
import { makeEvents, openEventStore, writeEvents } from '../support/webhook-store.ts';

const SCRIPT = new URL('../support/send-push.ts', import.meta.url);
const SUBSCRIPTIONS = 800 * MORE;
const KILLS = 3;

async function expectEverybodyTold(storeUrl: string): Promise<void> {
  const service = await openPushService(onTestFinished);
  const store = await openEventStore(storeUrl);
  onTestFinished(() => store.close());
  const state = async () => (await readStates(store)).push;
  const change = createSubscriptions({ rows: store.subscriptions, report: () => {}, now: Date.now });
  const names = Array.from({ length: SUBSCRIPTIONS }, (_, index) => `browser-${index}`);
  for (const name of names) await change(service.subscribe(name, ['judul-1']));

  await writeEvents(store, []);
  const start = () => startScript(SCRIPT, [storeUrl], onTestFinished);
  let kill = start();
  // A first start begins with what comes after it.
  await expect.poll(state).toBeDefined();
  const events = makeEvents(1, 1, Date.now());
  await writeEvents(store, events);
  for (let kills = 1; kills <= KILLS; kills += 1) {
    await expect
      .poll(() => service.accepted.length, { interval: 5 })
      .toBeGreaterThanOrEqual((SUBSCRIPTIONS * kills) / (KILLS + 1));
    await kill();
    kill = start();
  }
  await expect.poll(async () => (await state())?.position).toBe(nameOf('e1', events[0]));
  await kill();

  const times = new Map<string, number>();
  for (const { name } of service.accepted) times.set(name, (times.get(name) ?? 0) + 1);
  expect([...times.keys()].sort()).toEqual(names.toSorted());
  // Each kill repeats at most what was sent since the progress was last stored.
  expect(Math.max(...times.values())).toBeLessThanOrEqual(1 + KILLS);
  expect(service.accepted.length - SUBSCRIPTIONS).toBeLessThanOrEqual(KILLS * 300);
}

test('everybody is told although the sender is killed repeatedly, with SQLite', async () => {
  const folder = await temporaryFolder(onTestFinished);
  await expectEverybodyTold(`sqlite:${path.join(folder, 'cache.sqlite')}`);
});

describeWithRedis('with Redis', () => {
  test('everybody is told although the sender is killed repeatedly', async () => {
    await expectEverybodyTold((await openTestRedis(onTestFinished)).url());
  });
});
