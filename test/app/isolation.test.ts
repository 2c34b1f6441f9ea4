import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { eventually, openThreadedService, readJson } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

/** Between two rounds of readers: the thread that starts has a core to itself meanwhile. */
const PAUSE_MS = 20;

/** A crawl is nearly always under way. */
const BUSY = { REFRESH_CRON: '* * * * * *', SOURCE_DELAY: '100ms' };
const service = openOnce((defer) => openThreadedService(defer, BUSY));

beforeAll(() => service.ready());

const threadsOf = async () => (await readJson(fetch(`${service.address}/readyz`))).threads;

/** Requests pages until `isOver`; resolves with the number of responses by status. */
async function readUntil(isOver: () => Promise<boolean>): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  while (!(await isOver())) {
    const answers = await Promise.all(
      [1, 2, 3, 4].map((page) => fetch(`${service.address}/api/anime/home?page=${page}`)),
    );
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    await sleep(PAUSE_MS);
  }
  return statuses;
}

test.each(['uploads', 'crawler'])(
  'the listing answers 200 while the thread of the %s restarts',
  async (name) => {
    const thread = service.threads.get(name)!;
    const { restarts } = thread.state();
    thread.restart(new Error('ended by a test'));
    const statuses = await readUntil(async () => {
      const { state, restarts: now } = thread.state();
      return state === 'running' && now === restarts + 1;
    });
    expect([...statuses.keys()]).toEqual([200]);
    expect((await threadsOf())[name]).toMatchObject({ state: 'running', reason: 'ended by a test' });
  },
);

test('uploads answer 503 with Retry-After while their thread restarts, then work at the same address', async () => {
  const thread = service.threads.get('uploads')!;
  const ask = () => fetch(`${service.uploads}/`, { headers: { Connection: 'close' } });
  thread.restart(new Error('ended by a test'));
  const away = await eventually(
    () => ask().catch(() => undefined),
    (response) => response?.status === 503,
  );
  expect(away?.headers.get('Retry-After')).toBe('1');
  expect(await away?.json()).toEqual({ status: false, message: expect.stringContaining('try again') });
  const back = await eventually(
    () => ask().catch(() => undefined),
    (response) => response?.status === 200,
  );
  expect(back?.status).toBe(200);
});

test('a crawler that restarts while it holds the lease continues to crawl', async () => {
  const { source, address } = service;
  const crawler = service.threads.get('crawler')!;
  const before = crawler.state().restarts;
  const requests = source.requests.length;
  await expect.poll(() => source.requests.length).toBeGreaterThan(requests + 2);
  crawler.restart(new Error('ended in the middle of a crawl'));
  await expect
    .poll(() => crawler.state())
    .toSatisfy(({ state, restarts }) => state === 'running' && restarts === before + 1);
  const anime = source.catalogue.anime[0]!;
  anime.episode += 1;
  const { data } = await eventually(
    () => readJson(fetch(`${address}/api/anime/home`)),
    ({ data }) => data.data[0].episode === anime.episode,
  );
  expect(data.data[0].title).toBe(anime.title);
});
