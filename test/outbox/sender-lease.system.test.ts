import { expect, onTestFinished, test } from 'vitest';
import { describeWithRedis, openTestRedis, redisCommand } from '../support/redis.ts';
import { openReceiver } from '../support/webhook-receiver.ts';
import { openEventStore } from '../support/webhook-store.ts';
import { openTestOutbox } from '../support/webhooks.ts';

describeWithRedis('a sender whose lease another process has taken, as after it was frozen', () => {
  test('sends nothing more: the other one does', async () => {
    const redis = await openTestRedis(onTestFinished);
    const url = redis.url();
    const store = await openEventStore(url);
    onTestFinished(() => store.close());
    const hook = await openReceiver(onTestFinished);
    const { write, whenSent, events } = await openTestOutbox(onTestFinished, [hook.url], { store });
    await write(1);
    await whenSent();
    const lease = `${new URL(url).searchParams.get('prefix')}:lease-outbox`;
    expect(await redisCommand(redis.port, 'EXISTS', lease)).toBe('1');
    await redisCommand(redis.port, 'SET', lease, 'another process');
    await write(1);
    await expect
      .poll(() => events.filter(({ type }) => type === 'store-failed'))
      .toMatchObject([{ error: { message: 'another process has taken over the sending' } }]);
    expect(hook.received.map(({ body }) => body.data.number)).toEqual([1]);
    // Once that one has ended, this one goes on where both were.
    await redisCommand(redis.port, 'SET', lease, 'released');
    await whenSent();
    expect(hook.received.map(({ body }) => body.data.number)).toEqual([1, 2]);
  });
});
