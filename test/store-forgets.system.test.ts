import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithRedis, openTestRedis, redisCommand } from './support/redis.ts';
import { eventually, openTestService, readJson, startServe, temporaryFolder } from './support/service.ts';
import { openTestSource } from './support/source.ts';
import { openReceiver } from './support/webhook-receiver.ts';

async function countWrites(port: number): Promise<number> {
  const stats = await redisCommand(port, 'INFO', 'commandstats');
  return Number(/cmdstat_set:calls=(\d+)/u.exec(stats)?.[1] ?? 0);
}

/** A process that refreshes and sends webhooks, and one that only serves, on the Redis at a port. */
async function openInstallation(port: number) {
  const hook = await openReceiver(onTestFinished);
  const CACHE_URL = `redis://127.0.0.1:${port}`;
  const crawler = await openTestService(onTestFinished, {
    CACHE_URL,
    REFRESH_CRON: '* * * * * *',
    WEBHOOK_URLS: hook.url,
    WEBHOOK_PRIVATE: 'on',
  });
  await crawler.ready();
  const reader = await openTestService(onTestFinished, { CACHE_URL, REFRESH_CRON: 'off', SERVE: 'listing' });
  await reader.ready();
  await expect
    .poll(async () => (await readJson(fetch(`${crawler.address}/readyz`))).webhooks)
    .toMatchObject([{ state: 'ok' }]);
  const stream = listen(reader.address);
  const { anime } = crawler.source.catalogue;
  let aired = 0;

  const events = async (query = '') =>
    (await readJson(fetch(`${reader.address}/api/anime/events${query}`))).data;
  const received = () =>
    hook.received.filter(({ body, status }) => body.type === 'anime.new-episode' && status < 300);
  const isFailing = () => hook.received.at(-1)?.status === 500;

  /** Airs an episode, and waits until the reader has it and, unless it fails, the receiver was told of it. */
  async function air(): Promise<void> {
    const one = anime[aired]!;
    one.episode += 1;
    aired += 1;
    const isThis = ({ slug, episode }: { slug: string; episode: number }) =>
      slug === one.slug && episode === one.episode;
    await expect
      .poll(async () => (await readJson(fetch(`${reader.address}/api/anime`))).data.ongoing)
      .toSatisfy((ongoing) => ongoing.some(isThis));
    const isTold = () => isFailing() || received().some(({ body }) => isThis(body.data));
    await expect.poll(isTold).toBe(true);
  }

  /** Nobody missed an event, got one twice, or was not told that it may have. */
  async function check(): Promise<void> {
    const { events: all } = await events();
    const names = all.map(({ slug, episode }: { slug: string; episode: number }) => `${slug} ${episode}`);
    expect(new Set(names).size).toBe(aired);
    expect(all.map(({ number }: { number: number }) => number)).toEqual(
      Array.from({ length: aired }, (_, index) => index + 1),
    );
    await expect.poll(received).toSatisfy(({ length }) => length >= aired);
    expect(received().map(({ body }) => `${body.data.slug} ${body.data.episode}`)).toEqual(names);
    await expect.poll(() => stream.ids()).toSatisfy((ids) => ids.length >= aired);
    const numbers = stream.ids().map((id) => Number(id.split('-')[1]));
    expect(numbers).toEqual(Array.from({ length: aired }, (_, index) => index + 1));
  }

  return { air, check, events, hook, source: crawler.source };
}

/** Reads the stream of events; `ids` are those of events, without the resets. */
function listen(address: string) {
  let text = '';
  const request = get(`${address}/api/anime/events/stream`, { agent: false }, (response) =>
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    }),
  );
  request.on('error', () => {});
  onTestFinished(() => void request.destroy());
  return {
    ids: () => [...text.matchAll(/^id: (\S+)\nevent: (?!reset)/gmu)].map(([, id = '']) => id),
  };
}

describeWithRedis('an installation whose Redis', () => {
  test('restarts empty goes on as if nothing had been lost', async () => {
    const redis = await openTestRedis(onTestFinished);
    const { air, check, events } = await openInstallation(redis.port);
    await air();
    await air();
    const before = await events();
    await redis.kill();
    await redis.start();
    await air();
    expect(await events(`?since=${before.last}&epoch=${before.epoch}`)).toMatchObject({
      complete: true,
      events: [{ number: 3 }],
    });
    await check();
  });

  test('is emptied sends what receivers had not accepted', async () => {
    const redis = await openTestRedis(onTestFinished);
    const { air, check, hook } = await openInstallation(redis.port);
    await air();
    hook.answer = () => 500;
    await air();
    await air();
    await redisCommand(redis.port, 'FLUSHALL');
    hook.answer = () => 204;
    await air();
    await check();
  });

  test('is restored from an older dump goes on as if nothing had been lost', async () => {
    const redis = await openTestRedis(onTestFinished);
    const { air, check, events } = await openInstallation(redis.port);
    await air();
    await redisCommand(redis.port, 'SAVE');
    await air();
    await air();
    const before = await events();
    await redis.kill();
    await redis.start();
    await air();
    expect(await events(`?since=${before.last}&epoch=${before.epoch}`)).toMatchObject({ complete: true });
    await check();
  });

  test('is emptied while a crawl reads, and while a message is under way, tells each episode once', async () => {
    const redis = await openTestRedis(onTestFinished);
    const { air, check, events, hook, source } = await openInstallation(redis.port);
    await air();
    const arrived = Promise.withResolvers<void>();
    const flushed = Promise.withResolvers<void>();
    source.fault = (request) => {
      if (!request.url?.includes('/page/3/')) return false;
      source.fault = undefined;
      void redisCommand(redis.port, 'FLUSHALL').then(() => flushed.resolve());
      return false;
    };
    await flushed.promise;
    await air();
    hook.answer = (_message, response) => {
      hook.answer = () => 204;
      void redisCommand(redis.port, 'FLUSHALL').then(() => arrived.resolve());
      // Longer than it takes another process to notice that a lease is free.
      setTimeout(() => response.writeHead(204).end(), 8_000);
      return 0;
    };
    await air();
    await arrived.promise;
    await sleep(9_000);
    await air();
    const { last, events: all } = await events();
    expect([last, all.length]).toEqual([4, 4]);
    expect(hook.received.filter(({ body }) => body.type === 'anime.new-episode')).toHaveLength(4);
    await check();
    // A crawl each second writes twice, and nothing else writes.
    const writes = await countWrites(redis.port);
    await sleep(3_000);
    expect((await countWrites(redis.port)) - writes).toBeLessThan(40);
  });
});

test('an older copy that was put back makes no position complete that another past had', async () => {
  const folder = await temporaryFolder(onTestFinished);
  const source = await openTestSource(onTestFinished);
  const environment = { DATA_DIR: folder, SOURCE_URLS: source.origin, REFRESH_CRON: '* * * * * *' };
  const file = path.join(folder, 'cache.sqlite');

  /** Starts the service, airs some episodes, and stops it. */
  async function run(episodes: number) {
    const { address, kill, ended } = await startServe(environment, onTestFinished);
    const ask = async (query = '') => (await readJson(fetch(`${address}/api/anime/events${query}`))).data;
    const { last } = await eventually(ask, (data) => data !== undefined);
    for (let aired = 1; aired <= episodes; aired += 1) {
      source.catalogue.airNextEpisode(new Date());
      await eventually(ask, (data) => data.last >= last + aired);
    }
    const stop = async () => {
      kill('SIGTERM');
      await ended;
    };
    return { ask, stop };
  }
  const first = await run(3);
  const third = await first.ask();
  await first.stop();
  const copy = await readFile(file);
  const second = await run(3);
  const sixth = await second.ask();
  expect(await second.ask(`?since=3&epoch=${third.epoch}`)).toMatchObject({ complete: true, last: 6 });
  await second.stop();
  await writeFile(file, copy);
  const { ask } = await run(4);
  expect(await ask(`?since=6&epoch=${sixth.epoch}`)).toMatchObject({ complete: false });
  expect(await ask(`?since=3&epoch=${third.epoch}`)).toMatchObject({ complete: true });
});
