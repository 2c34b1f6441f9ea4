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
/** Without TEST_RUNS, one step of each disaster is tried, with Redis another one than with SQLite. */
const SAMPLE = {
  killed: { sqlite: 6, redis: 11 },
  frozen: { sqlite: 7, redis: 1 },
  emptied: { sqlite: 2, redis: 8 },
} as const;
/** How many steps are tried at the same time. */
const AT_ONCE = 3;
/** How long a lease in Redis outlives its process. */
const LEASE_MS = 3_000;

vi.setConfig({ testTimeout: 120_000 * Math.min(MORE, 5) });

type Disaster = keyof typeof SAMPLE;

interface Place {
  storeUrl: string;
  empty(): Promise<void>;
}

/** Starts a service that can be held. */
async function startHeld(environment: Record<string, string>) {
  const env = { PATH: process.env.PATH, TEST_LEASE_MS: String(LEASE_MS), ...environment };
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

type Released = { slug: string; episode: number };
const nameOf = ({ slug, episode }: Released) => `${slug} ${episode}`;

/** A client of the events that polls from where it is. */
function follow(address: string) {
  const told: string[] = [];
  let position = '';
  const ask = async (query = position) => (await readJson(fetch(`${address}/api/anime/events${query}`))).data;
  /** Resolves with whether it can have missed none. */
  const poll = async (): Promise<boolean> => {
    const { events, complete, epoch, last } = await ask();
    told.push(...events.map(nameOf));
    position = `?since=${last}&epoch=${epoch}`;
    return complete;
  };
  return { told, poll, ask };
}

async function disturb(disaster: Disaster, step: number, { storeUrl, empty }: Place): Promise<void> {
  const source = await openTestSource(onTestFinished, new Date());
  const hook = await openReceiver(onTestFinished);
  const environment = {
    DATA_DIR: await temporaryFolder(onTestFinished),
    CACHE_URL: storeUrl,
    SOURCE_URLS: source.origin,
    SOURCE_DELAY: '0',
    REFRESH_DETAILS: 'off',
    // Every process names the same addresses, and a cover where the source has it.
    BASE_URL: 'https://anime.example.org',
    COVERS: 'off',
    WEBHOOK_URLS: hook.url,
    WEBHOOK_PRIVATE: 'on',
  };
  const start = (cron: string) =>
    startHeld({ ...environment, SERVE: 'listing,refresh', PORT: '0', REFRESH_CRON: cron });
  const isSending = async (address: string) => {
    const { status, webhooks } = await readJson(fetch(`${address}/readyz`));
    return status && webhooks[0].state === 'ok';
  };
  const aired: string[] = [];
  const air = () => void aired.push(nameOf(source.catalogue.airNextEpisode(new Date())));
  const accepted = () => hook.received.map(({ body }) => nameOf(body.data));
  const countCrawls = () => source.requests.filter((one) => one.startsWith('/jadwal')).length;

  const crawler = await start('* * * * * *');
  await eventually(() => isSending(crawler.address), Boolean);
  const processes = [crawler, await start('off')];
  const { told, poll, ask } = follow(processes[1]!.address);
  await poll();
  air();
  await expect.poll(accepted).toEqual(aired);
  air();
  const message = await crawler.holdAt(step);
  const countWrites = () => processes.reduce((sum, { writes }) => sum + writes.length, 0);
  const [writes, crawls] = [countWrites(), countCrawls()];
  air();
  if (disaster === 'killed') {
    await endProcess(crawler.child);
    expect(await refreshHere(environment)).toMatchObject({ exitCode: 0 });
    processes.push(await start('* * * * * *'));
  } else if (disaster === 'frozen') {
    crawler.child.kill('SIGSTOP');
    const refreshed = refreshHere(environment);
    // A lease in Redis ends meanwhile; one of SQLite is that of its process as long as it lives.
    await Promise.race([refreshed, sleep(3 * LEASE_MS)]);
    crawler.child.send('go on');
    crawler.child.kill('SIGCONT');
    const { exitCode, output } = await refreshed;
    expect(exitCode === 0 ? '' : output).toMatch(/^$|another process has been using the store/u);
  } else {
    await empty();
    await sleep(2 * LEASE_MS);
    crawler.child.send('go on');
  }
  expect(await poll(), message).toBe(true);
  air();
  await expect.poll(async () => (await ask('')).last, { message }).toBe(aired.length);
  await expect.poll(() => new Set(accepted()).size, { message }).toBe(aired.length);
  const settled = countCrawls();
  await expect.poll(countCrawls).toBeGreaterThan(settled + 1);
  expect(await poll(), message).toBe(true);

  const log = await ask('');
  expect(log.events.map(({ number }: { number: number }) => number)).toEqual(
    aired.map((_, index) => index + 1),
  );
  expect(log.events.map(nameOf), message).toEqual(told);
  expect(told.toSorted(), message).toEqual(aired.toSorted());
  const { address } = processes[2] ?? crawler;
  expect(await follow(address).ask(), message).toEqual(log);
  expect([...new Set(accepted())], message).toEqual(told);
  // What a process was sent and had not noted before it was killed or frozen is sent again.
  expect(accepted().length - told.length, message).toBeLessThanOrEqual(disaster === 'emptied' ? 0 : 1);
  expect(countWrites() - writes, message).toBeLessThanOrEqual(2 * (countCrawls() - crawls) + 12);
}

async function disturbAll(
  disaster: Disaster,
  store: 'sqlite' | 'redis',
  open: () => Promise<Place>,
): Promise<void> {
  const all = Array.from({ length: STEPS }, (_, index) => index + 1);
  const steps = MORE > 1 ? all : [SAMPLE[disaster][store]];
  for (let at = 0; at < steps.length; at += AT_ONCE)
    await Promise.all(
      steps.slice(at, at + AT_ONCE).map(async (step) => disturb(disaster, step, await open())),
    );
}

describe.each(['killed', 'frozen', 'emptied'] as const)(
  'whatever a crawl and its sender write when they are %s',
  (disaster) => {
    test('each event is there once, and told once, with SQLite', async () => {
      await disturbAll(disaster, 'sqlite', async () => {
        const file = path.join(await temporaryFolder(onTestFinished), 'cache.sqlite');
        const empty = async () => {
          using database = new DatabaseSync(file, { timeout: 5_000 });
          database.exec('DELETE FROM keyv');
        };
        return { storeUrl: `sqlite:${file}`, empty };
      });
    });

    describeWithRedis('and', () => {
      test('each event is there once, and told once, with Redis', async () => {
        await disturbAll(disaster, 'redis', async () => {
          const { port } = await openTestRedis(onTestFinished);
          const empty = async () => void (await redisCommand(port, 'FLUSHALL'));
          return { storeUrl: `redis://127.0.0.1:${port}`, empty };
        });
      });
    });
  },
);
