import { expect, onTestFinished, test } from 'vitest';
import { describeWithRedis, openTestRedis } from '../support/redis.ts';
import { openReceiver } from '../support/webhook-receiver.ts';
import { openEventStore } from '../support/webhook-store.ts';
import { openTestOutbox } from '../support/webhooks.ts';

describeWithRedis('a sender during an outage of Redis', () => {
  test('reports it once, and continues where it was when Redis is back and empty', async () => {
    const redis = await openTestRedis(onTestFinished);
    const store = await openEventStore(redis.url());
    onTestFinished(() => store.close());
    const hook = await openReceiver(onTestFinished);
    const { write, whenSent, events, outbox } = await openTestOutbox(onTestFinished, [hook.url], { store });
    await write(2);
    await whenSent();
    await redis.kill();
    const failures = () => events.filter(({ type }) => type === 'store-failed');
    await expect.poll(() => failures().length).toSatisfy((count) => count > 0);
    await redis.start();
    await expect.poll(() => outbox.states()).toSatisfy(([state]) => state?.state === 'ok');
    await write(1);
    await whenSent();
    expect(hook.received.map(({ body }) => body.data.number)).toEqual([1, 2, 3]);
    expect(failures()).toHaveLength(1);
  });
});
