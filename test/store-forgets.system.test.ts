import { get } from 'node:http';
import { createClient } from '@redis/client';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithRedis, openTestRedis } from './support/redis.ts';
import { openTestService, readJson } from './support/service.ts';
import { openReceiver } from './support/webhook-receiver.ts';

async function command(port: number, ...args: string[]): Promise<void> {
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
  await client.connect();
  await client.sendCommand(args);
  client.destroy();
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

  return { air, check, events, hook };
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
    await command(redis.port, 'FLUSHALL');
    hook.answer = () => 204;
    await air();
    await check();
  });

  test('is restored from an older dump goes on as if nothing had been lost', async () => {
    const redis = await openTestRedis(onTestFinished);
    const { air, check, events } = await openInstallation(redis.port);
    await air();
    await command(redis.port, 'SAVE');
    await air();
    await air();
    const before = await events();
    await redis.kill();
    await redis.start();
    await air();
    expect(await events(`?since=${before.last}&epoch=${before.epoch}`)).toMatchObject({ complete: true });
    await check();
  });
});
