import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithRedis, openTestRedis, redisCommand } from '../support/redis.ts';
import { eventually, openTestService, readJson, startServe, temporaryFolder } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';
import { openReceiver } from '../support/webhook-receiver.ts';

interface Sent {
  data: { slug: string; episode: number };
}

const namesOf = (messages: { body: Sent }[]) =>
  messages.map(({ body }) => `${body.data.slug} ${body.data.episode}`);

const eventsOf = async (address: string) => (await readJson(fetch(`${address}/api/anime/events`))).data;

const webhooksOf = async (address: string) => (await readJson(fetch(`${address}/readyz`))).webhooks;

describeWithRedis('a receiver whose sender is down while Redis loses its position', () => {
  test.each([
    ['everything', ['FLUSHALL']],
    ['the positions alone', ['DEL', 'tayang:listing:outbox']],
  ])('goes on from what a process without webhooks remembers (%s is lost)', async (_what, loss) => {
    const redis = await openTestRedis(onTestFinished);
    const hook = await openReceiver(onTestFinished);
    const CACHE_URL = `redis://127.0.0.1:${redis.port}`;
    const crawler = await openTestService(onTestFinished, {
      CACHE_URL,
      SERVE: 'listing,refresh',
      REFRESH_CRON: '* * * * * *',
    });
    await crawler.ready();
    const environment = {
      CACHE_URL,
      REFRESH_CRON: 'off',
      WEBHOOK_URLS: hook.url,
      WEBHOOK_PRIVATE: 'on',
    };
    let aired = 0;
    async function air(count: number): Promise<void> {
      for (const one of crawler.source.catalogue.anime.slice(aired, aired + count)) one.episode += 1;
      aired += count;
      await eventually(
        () => eventsOf(crawler.address),
        ({ last }) => last === aired,
      );
    }

    const first = await startServe(environment, onTestFinished);
    await eventually(
      () => webhooksOf(first.address),
      ([one]) => one?.state === 'ok',
    );
    await air(2);
    await expect.poll(() => hook.received.length).toBe(2);
    await eventually(
      () => webhooksOf(first.address),
      ([one]) => one?.pending === 0,
    );
    // The other process reads the last position.
    const stored = () => redisCommand(redis.port, 'GET', 'tayang:listing:outbox');
    const position = await stored();
    await air(1);
    await expect.poll(() => hook.received.length).toBe(3);
    await expect.poll(stored).not.toBe(position);
    first.kill('SIGTERM');
    await first.ended;
    await air(4);
    await redisCommand(redis.port, ...loss);
    const second = await startServe(environment, onTestFinished);
    await expect.poll(() => hook.received.length).toBe(7);
    const { events } = await eventsOf(crawler.address);
    expect(namesOf(hook.received)).toEqual(namesOf(events.map((data: Sent['data']) => ({ body: { data } }))));
    expect(second.output()).not.toMatch(/webhook-(?:added|position-lost)/u);
  });
});

test('a receiver whose position nobody remembers is sent everything of the last day, with a warning', async () => {
  const hook = await openReceiver(onTestFinished);
  const source = await openTestSource(onTestFinished);
  const environment = {
    DATA_DIR: await temporaryFolder(onTestFinished),
    SOURCE_URLS: source.origin,
    SOURCE_TIMEOUT: '15s',
    REFRESH_CRON: '* * * * * *',
    WEBHOOK_URLS: hook.url,
    WEBHOOK_PRIVATE: 'on',
  };
  const first = await startServe(environment, onTestFinished);
  await eventually(
    () => readJson(fetch(`${first.address}/readyz`)),
    ({ status, webhooks }) => status && webhooks[0]?.state === 'ok',
  );
  for (const one of source.catalogue.anime.slice(0, 3)) one.episode += 1;
  await expect.poll(() => hook.received.length).toBe(3);
  first.kill('SIGTERM');
  await first.ended;
  const before = namesOf(hook.received);
  using database = new DatabaseSync(path.join(environment.DATA_DIR, 'cache.sqlite'));
  database.exec("DELETE FROM keyv WHERE key = 'keyv:outbox'");
  database.close();
  const second = await startServe(environment, onTestFinished);
  await expect.poll(() => hook.received.length).toBe(6);
  expect(namesOf(hook.received)).toEqual([...before, ...before]);
  expect(second.output()).toMatch(/"level":40.*webhook-position-lost.*"count":3/u);
});
