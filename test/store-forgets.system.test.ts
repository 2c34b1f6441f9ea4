import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { manualLines } from './support/manual.ts';
import { hasProgram, testWith } from './support/needs.ts';
import { describeWithRedis, openTestRedis, redisCommand } from './support/redis.ts';
import {
  eventually,
  openTestService,
  openThreadedService,
  readJson,
  startServe,
  temporaryFolder,
} from './support/service.ts';
import { openTestSource } from './support/source.ts';
import { openReceiver } from './support/webhook-receiver.ts';

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
  const received = () => hook.received.filter(({ body }) => body.type === 'anime.new-episode');

  /** Airs an episode, and waits until the reader has it and the receiver was told of it. */
  async function air(): Promise<void> {
    const one = anime[aired]!;
    one.episode += 1;
    aired += 1;
    const isThis = ({ slug, episode }: { slug: string; episode: number }) =>
      slug === one.slug && episode === one.episode;
    await expect
      .poll(async () => (await readJson(fetch(`${reader.address}/api/anime`))).data.ongoing)
      .toSatisfy((ongoing) => ongoing.some(isThis));
    await expect.poll(() => received().some(({ body }) => isThis(body.data))).toBe(true);
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

  return { air, check, events };
}

/** Reads the stream of events; `ids` are those of events, without the resets. */
function listen(address: string, lastId?: string) {
  let text = '';
  const headers = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
  const request = get(`${address}/api/anime/events/stream`, { agent: false, headers }, (response) =>
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    }),
  );
  request.on('error', () => {});
  onTestFinished(() => void request.destroy());
  return {
    firstEvent: () => eventually(async () => /^event: (.+)$/mu.exec(text)?.[1], Boolean),
    ids: () => [...text.matchAll(/^id: (\S+)\nevent: (?!reset)/gmu)].map(([, id = '']) => id),
  };
}

/** Copies what a Redis has to where it looks when it starts. */
async function copyRedis(port: number): Promise<void> {
  const [, folder = ''] = (await redisCommand(port, 'CONFIG', 'GET', 'dir')).split(',');
  execFileSync('redis-cli', ['-p', String(port), '--rdb', path.join(folder, 'dump.rdb')], {
    stdio: 'ignore',
  });
}

describeWithRedis('an installation whose Redis', () => {
  test.each([
    ['empty', async () => {}],
    ['with a copy that was made as the manual says', copyRedis],
  ])('restarts %s goes on as if nothing had been lost', async (_what, copy) => {
    const redis = await openTestRedis(onTestFinished);
    const { air, check, events } = await openInstallation(redis.port);
    await air();
    await copy(redis.port);
    await air();
    await air();
    const before = await events();
    await redis.kill();
    await redis.start();
    await air();
    expect(await events(`?since=${before.last}&epoch=${before.epoch}`)).toMatchObject({
      complete: true,
      events: [{ number: 4 }],
    });
    await check();
  });

  test('is away and then empty while the crawler is started again, which serves what it knows and goes on', async () => {
    const redis = await openTestRedis(onTestFinished);
    const hook = await openReceiver(onTestFinished);
    const service = await openThreadedService(onTestFinished, {
      CACHE_URL: `redis://127.0.0.1:${redis.port}`,
      REFRESH_CRON: '* * * * * *',
      WEBHOOK_URLS: hook.url,
      WEBHOOK_PRIVATE: 'on',
    });
    await service.ready();
    const crawler = service.threads.get('crawler')!;
    const readiness = () => readJson(fetch(`${service.address}/readyz`));
    const isTold = () => eventually(readiness, ({ webhooks }) => webhooks[0].pending === 0);
    await eventually(readiness, ({ webhooks }) => webhooks[0].state === 'ok');
    const ask = async (query: string) =>
      (await readJson(fetch(`${service.address}/api/anime/events${query}`))).data;
    const [first, second] = service.source.catalogue.anime;
    first!.episode += 1;
    const before = await eventually(
      () => ask(''),
      ({ last }) => last === 1,
    );
    await expect.poll(() => hook.received).toHaveLength(1);
    await isTold();

    await redis.kill();
    crawler.restart(new Error('ended by the test'));
    await eventually(
      async () => crawler.state(),
      ({ state, restarts }) => state === 'running' && restarts === 1,
    );
    await eventually(readiness, ({ dependencies }) => dependencies.store === 'down');
    expect(await ask(`?since=0&epoch=${before.epoch}`)).toMatchObject({ last: 1, events: [{ number: 1 }] });
    expect((await fetch(`${service.address}/api/anime`)).status).toBe(200);

    await redis.start();
    second!.episode += 1;
    const after = await eventually(
      () => ask(`?since=1&epoch=${before.epoch}`),
      ({ events }) => events.length > 0,
    );
    expect(after).toMatchObject({ complete: true, events: [{ number: 2, slug: second!.slug }] });
    await expect.poll(() => hook.received.length).toBeGreaterThan(1);
    expect(hook.received.map(({ body }) => body.data.slug)).toEqual([first!.slug, second!.slug]);
    expect(crawler.state()).toMatchObject({ state: 'running', restarts: 1 });
  });
});

testWith(hasProgram('sqlite3'), 'sqlite3')(
  'an older copy that is put back, as the manual says, tells again what it lacks, and makes no position complete that it does not have',
  async () => {
    const cwd = await temporaryFolder(onTestFinished);
    const [source, hook] = [await openTestSource(onTestFinished), await openReceiver(onTestFinished)];
    const environment = {
      DATA_DIR: path.join(cwd, 'data'),
      SOURCE_URLS: source.origin,
      // A page that a busy machine answers late is no fault here.
      SOURCE_TIMEOUT: '15s',
      REFRESH_CRON: '* * * * * *',
      WEBHOOK_URLS: hook.url,
      WEBHOOK_PRIVATE: 'on',
    };
    await mkdir(environment.DATA_DIR);
    const told = (events: { slug: string; episode: number }[]) =>
      events.map(({ slug, episode }) => `${slug} ${episode}`);
    const received = () => told(hook.received.map(({ body }) => body.data));

    /** Starts the service, and airs some episodes. */
    async function run(episodes: number) {
      const { address, kill, ended } = await startServe(environment, onTestFinished);
      const ask = async (query = '') => (await readJson(fetch(`${address}/api/anime/events${query}`))).data;
      const readiness = () => readJson(fetch(`${address}/readyz`));
      await eventually(readiness, ({ status, webhooks }) => status && webhooks[0].state === 'ok');
      const { last } = await ask();
      for (let aired = 1; aired <= episodes; aired += 1) {
        source.catalogue.airNextEpisode(new Date());
        await eventually(ask, (data) => data.last >= last + aired);
      }
      const stop = async () => {
        kill('SIGTERM');
        await ended;
      };
      const isTold = () => eventually(readiness, ({ webhooks }) => webhooks[0].pending === 0);
      return { ask, stop, address, isTold };
    }
    const [copyStore = '', keepUploads = '', putStoreBack = '', putUploadsBack = ''] = manualLines(
      'sh',
    ).filter((line) => line.includes('backup') && !line.startsWith('redis-cli'));
    const type = (line: string) => execFileSync('sh', ['-euc', line], { cwd });
    const first = await run(3);
    const third = await first.ask();
    // What is delivered and not stored yet would be told once more.
    await expect.poll(received).toHaveLength(3);
    await first.isTold();
    for (const line of [copyStore, keepUploads]) type(line);
    for (let aired = 4; aired <= 6; aired += 1) {
      source.catalogue.airNextEpisode(new Date());
      await eventually(first.ask, ({ last }) => last === aired);
    }
    const sixth = await first.ask();
    await expect.poll(received).toEqual(told(sixth.events));
    await first.stop();
    type(putStoreBack.replaceAll('tayang', String(process.getuid!())));
    type(putUploadsBack);

    const { ask, address } = await run(0);
    await eventually(ask, ({ last }) => last === 6);
    expect(await ask(`?since=6&epoch=${sixth.epoch}`)).toMatchObject({ complete: false });
    const again = await ask(`?since=3&epoch=${third.epoch}`);
    expect(again).toMatchObject({ complete: true });
    expect(told(again.events).toSorted()).toEqual(told(sixth.events.slice(3)).toSorted());
    await expect.poll(received).toEqual([...told(sixth.events), ...told(again.events)]);
    expect(await listen(address, `${sixth.epoch}-6`).firstEvent()).toBe('reset');
  },
);
