import { fork } from 'node:child_process';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { endProcess } from './support/end-process.ts';
import { MORE } from './support/more-runs.ts';
import { describeWithRedis, openTestRedis, redisCommand } from './support/redis.ts';
import { refreshHere } from './support/refresh-here.ts';
import { WITH_SETTINGS } from './support/run-script.ts';
import { eventually, readJson, temporaryFolder } from './support/service.ts';
import { openTestSource } from './support/source.ts';
import { openReceiver } from './support/webhook-receiver.ts';

/*
 * What a crawl and the sending of its event change in the store, one step after the other: at each of them, the process is
 * killed, or frozen while others go on, or the store is emptied.
 */
const SCRIPT = new URL('./support/held-service.ts', import.meta.url);
/** A crawl and a message have so many steps. */
const STEPS = 11;
/** How many steps are tried at the same time. */
const AT_ONCE = 3;

vi.setConfig({ testTimeout: 60_000 * Math.min(MORE, 5) });

type Disaster = 'killed' | 'frozen' | 'emptied';

interface Place {
  storeUrl: string;
  empty(): Promise<void>;
  /** Whether a lease ends although its process lives. */
  leasesEnd: boolean;
}

/** Starts a service that can be held. */
async function startHeld(environment: Record<string, string>) {
  const env = {
    PATH: process.env.PATH,
    SOURCE_DELAY: '0',
    REFRESH_DETAILS: 'off',
    PORT: '0',
    ...environment,
  };
  const child = fork(SCRIPT, { execArgv: WITH_SETTINGS, env });
  onTestFinished(() => endProcess(child));
  const writes: string[] = [];
  const address = Promise.withResolvers<string>();
  const held = Promise.withResolvers<string>();
  child.on('message', (message: { address?: string; held?: string; wrote?: string[] }) => {
    if (message.address) address.resolve(message.address);
    if (message.held) held.resolve(message.held);
    if (message.wrote) writes.push(String(message.wrote));
  });
  child.on('exit', () => address.reject(new Error('it has ended')));
  return {
    child,
    address: await address.promise,
    writes,
    /** Resolves with the name of the step at which it is held. */
    holdAt(step: number): Promise<string> {
      child.send(step);
      return held.promise;
    },
  };
}

/** A client of the events: it reads the list where it is told that it may have missed some. */
function follow(address: string) {
  const ask = async (path: string) => (await readJson(fetch(`${address}/api/anime${path}`))).data;
  const client = { known: new Map<string, number>(), incomplete: 0, twice: [] as string[] };
  let position = '';
  const poll = async () => {
    const { events, complete, epoch, last } = await ask(`/events${position}`);
    if (!complete) client.incomplete += 1;
    for (const { slug, episode } of events) {
      if ((client.known.get(slug) ?? 0) >= episode) client.twice.push(`${slug} ${episode}`);
      client.known.set(slug, episode);
    }
    position = `?since=${last}&epoch=${epoch}`;
  };
  return { client, poll, ask };
}

async function disturb(
  disaster: Disaster,
  step: number,
  { storeUrl, empty, leasesEnd }: Place,
): Promise<void> {
  const [source, hook] = [
    await openTestSource(onTestFinished, new Date()),
    await openReceiver(onTestFinished),
  ];
  const environment = {
    SERVE: 'listing,refresh',
    DATA_DIR: await temporaryFolder(onTestFinished),
    CACHE_URL: storeUrl,
    SOURCE_URLS: source.origin,
    WEBHOOK_URLS: hook.url,
    WEBHOOK_PRIVATE: 'on',
  };
  const start = () => startHeld({ ...environment, REFRESH_CRON: '* * * * * *' });
  const refresh = () => refreshHere({ ...environment, SOURCE_DELAY: '0', REFRESH_DETAILS: 'off' });
  const isSending = async (address: string) => {
    const { status, webhooks } = await readJson(fetch(`${address}/readyz`));
    return status && webhooks[0].state === 'ok';
  };
  const aired: string[] = [];
  const air = () => {
    const { slug, episode } = source.catalogue.airNextEpisode(new Date());
    aired.push(`${slug} ${episode}`);
  };
  const accepted = () => hook.received.map(({ body: { data } }) => `${data.slug} ${data.episode}`);
  const countCrawls = () => source.requests.filter((one) => one.startsWith('/jadwal')).length;

  const crawler = await start();
  await eventually(() => isSending(crawler.address), Boolean);
  const other = await startHeld({ ...environment, REFRESH_CRON: 'off' });
  const { client, poll, ask } = follow(other.address);
  await poll();
  air();
  await expect.poll(accepted).toEqual(aired);
  air();
  const heldAt = await crawler.holdAt(step);
  if (process.env.SHOW) console.log(disaster, storeUrl.slice(0, 5), step, heldAt);
  const [writes, crawls] = [crawler.writes.length + other.writes.length, countCrawls()];
  air();
  let restarted: typeof crawler | undefined;
  if (disaster === 'killed') {
    await endProcess(crawler.child);
    expect(await refresh()).toMatchObject({ exitCode: 0 });
    restarted = await start();
  } else if (disaster === 'frozen') {
    crawler.child.kill('SIGSTOP');
    const refreshed = refresh();
    await (leasesEnd ? refreshed : sleep(1_000));
    await poll();
    crawler.child.send('go on');
    crawler.child.kill('SIGCONT');
    expect(await refreshed).toMatchObject({ exitCode: 0 });
  } else {
    await empty();
    crawler.child.send('go on');
  }
  await poll();
  air();
  await expect.poll(async () => (await ask('/events')).last, { message: heldAt }).toBe(aired.length);
  await expect.poll(() => new Set(accepted()).size, { message: heldAt }).toBe(aired.length);
  const settled = countCrawls();
  await expect.poll(countCrawls).toBeGreaterThan(settled + 1);
  await poll();

  const { events } = await ask('/events');
  expect(
    events.map(({ number }: { number: number }) => number),
    heldAt,
  ).toEqual(aired.map((_, index) => index + 1));
  const told = events.map(({ slug, episode }: { slug: string; episode: number }) => `${slug} ${episode}`);
  expect(told.toSorted(), heldAt).toEqual(aired.toSorted());
  const { address } = restarted ?? crawler;
  expect((await readJson(fetch(`${address}/api/anime/events`))).data, heldAt).toEqual(await ask('/events'));
  expect([client.incomplete, client.twice], heldAt).toEqual([0, []]);
  for (const { slug, episode } of (await ask('')).ongoing)
    if (client.known.has(slug)) expect([slug, client.known.get(slug)], heldAt).toEqual([slug, episode]);
  const all = accepted();
  expect([...new Set(all)], heldAt).toEqual(told);
  // What was accepted and not noted before its sender was gone is sent again.
  expect(all.length - told.length, `${heldAt} ${all}`).toBeLessThanOrEqual(disaster === 'emptied' ? 0 : 1);
  const written =
    [crawler, other, ...(restarted ? [restarted] : [])].flatMap((one) => one.writes).length - writes;
  if (process.env.SHOW) console.log(disaster, storeUrl.slice(0, 5), step, heldAt, 'repeated', all.length - told.length, 'written', written, 'crawls', countCrawls() - crawls);
  expect(written, heldAt).toBeLessThanOrEqual(2 * (countCrawls() - crawls) + 12);
}

async function disturbAll(disaster: Disaster, open: () => Promise<Place>): Promise<void> {
  const all = Array.from({ length: STEPS }, (_, index) => index + 1);
  const first = { killed: 0, frozen: 1, emptied: 2 }[disaster];
  const steps = MORE > 1 ? all : all.filter((step) => step % AT_ONCE === first);
  for (let at = 0; at < steps.length; at += AT_ONCE)
    await Promise.all(
      steps.slice(at, at + AT_ONCE).map(async (step) => disturb(disaster, step, await open())),
    );
}

describe.each(['killed', 'frozen', 'emptied'] as const)(
  'whatever a crawl and its sender write when they are %s',
  (disaster) => {
    test('each event is there once, and told once, with SQLite', async () => {
      await disturbAll(disaster, async () => {
        const file = path.join(await temporaryFolder(onTestFinished), 'cache.sqlite');
        const empty = async () => {
          using database = new DatabaseSync(file, { timeout: 5_000 });
          database.exec('DELETE FROM keyv');
        };
        return { storeUrl: `sqlite:${file}`, empty, leasesEnd: false };
      });
    });

    describeWithRedis('and', () => {
      test('each event is there once, and told once, with Redis', async () => {
        await disturbAll(disaster, async () => {
          const { port } = await openTestRedis(onTestFinished);
          const empty = async () => void (await redisCommand(port, 'FLUSHALL'));
          return { storeUrl: `redis://127.0.0.1:${port}`, empty, leasesEnd: true };
        });
      });
    });
  },
);
