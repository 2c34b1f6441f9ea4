import path from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { findFaults, killSenders } from '../support/kill-senders.ts';
import { MORE } from '../support/more-runs.ts';
import { describeWithRedis, openTestRedis, type TestRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/service.ts';
import { untilEnd } from '../support/until-end.ts';

/** `npm run bench -- webhooks` does the same with 10,000 events and ten kills. */
const EVENTS = 100 * MORE;
const KILLS = 3;

async function expectAllInOrder(storeUrl: string): Promise<void> {
  const options = { storeUrl, events: EVENTS, kills: KILLS, failing: 0.3, random: Math.random };
  const { accepted, failed } = await killSenders(options, onTestFinished);
  expect(failed).toBeGreaterThan(0);
  const { lost, disordered, repeated } = findFaults(accepted, EVENTS);
  expect({ lost, disordered }).toEqual({ lost: [], disordered: [] });
  // What was accepted and not yet noted when the sender was killed is sent again.
  expect(repeated).toBeLessThanOrEqual(KILLS);
}

test('no event is lost or out of order when the sender is killed repeatedly, with SQLite', async () => {
  const folder = await temporaryFolder(onTestFinished);
  await expectAllInOrder(`sqlite:${path.join(folder, 'cache.sqlite')}`);
});

describeWithRedis('with Redis', () => {
  const defer = untilEnd();
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await openTestRedis(defer);
  });

  test('no event is lost or out of order when the sender is killed repeatedly', async () => {
    await expectAllInOrder(redis.url());
  });
});
