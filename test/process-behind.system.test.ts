import { get } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithRedis, openTestRedis } from './support/redis.ts';
import { openRelay } from './support/relay.ts';
import { eventually, openTestService, openThreadedService, readJson } from './support/service.ts';

interface Told {
  number: number;
  slug: string;
  episode: number;
}

interface Answer {
  epoch: string;
  last: number;
  complete: boolean;
  events: Told[];
}

/** A process that refreshes, and one that only serves and can be cut off from their Redis. */
async function openTwo(open: typeof openTestService | typeof openThreadedService = openTestService) {
  const redis = await openTestRedis(onTestFinished);
  const relay = await openRelay(onTestFinished, redis.port);
  const leading = await openTestService(onTestFinished, {
    CACHE_URL: `redis://127.0.0.1:${redis.port}`,
    REFRESH_CRON: '* * * * * *',
  });
  await leading.ready();
  const behind = await open(onTestFinished, {
    CACHE_URL: `redis://127.0.0.1:${relay.port}`,
    SERVE: 'listing',
    REFRESH_CRON: 'off',
  });
  await behind.ready();

  let aired = 0;
  /** Airs episodes, and waits until the leading process has told of them. */
  async function air(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      leading.source.catalogue.anime[aired]!.episode += 1;
      aired += 1;
    }
    await eventually(
      () => askFor(leading.address, ''),
      ({ last }) => last === aired,
    );
  }

  return { relay, leading, behind, air };
}

async function askFor(address: string, query: string): Promise<Answer> {
  return (await readJson(fetch(`${address}/api/anime/events${query}`))).data;
}

/** A client that asks for the events after the last one that it knows, as the programs of /docs do. */
async function openClient(address: string) {
  let { epoch, last } = await askFor(address, '?since=now');
  const told: number[] = [];
  const answers: boolean[] = [];
  return {
    told,
    answers,
    async ask(process: string): Promise<Answer> {
      const answer = await askFor(process, `?since=${last}&epoch=${epoch}`);
      told.push(...answer.events.map(({ number }) => number));
      answers.push(answer.complete);
      ({ epoch, last } = answer);
      return answer;
    },
    position: () => ({ epoch, last }),
  };
}

/** Reads the stream of events after a position. */
function listen(address: string, lastId: string) {
  let text = '';
  const request = get(
    `${address}/api/anime/events/stream`,
    { agent: false, headers: { 'Last-Event-ID': lastId } },
    (response) =>
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      }),
  );
  request.on('error', () => {});
  onTestFinished(() => void request.destroy());
  return {
    isOpen: () => text.includes('retry: '),
    events: () => [...text.matchAll(/^event: (.+)$/gmu)].map(([, name = '']) => name),
    numbers: () => [...text.matchAll(/^id: \w+-(\d+)\nevent: /gmu)].map(([, number]) => Number(number)),
  };
}

describeWithRedis('a process that is behind the one that a client comes from', () => {
  test.each([
    ['in one thread', openTestService],
    ['with threads', openThreadedService],
  ])(
    'takes back nothing while it is cut off from the store, and goes on from there afterwards (%s)',
    async (_how, open) => {
      const { relay, leading, behind, air } = await openTwo(open);
      const client = await openClient(leading.address);
      await air(2);
      await eventually(
        () => askFor(behind.address, ''),
        ({ last }) => last === 2,
      );
      relay.cut();
      await air(3);
      // Each is asked in turn, as behind a balancer.
      await client.ask(leading.address);
      const before = client.position();
      const stream = listen(behind.address, `${before.epoch}-${before.last}`);
      expect(await client.ask(behind.address)).toEqual({
        ...before,
        complete: true,
        hasMore: false,
        events: [],
      });
      await client.ask(leading.address);
      await client.ask(behind.address);
      await eventually(async () => stream.isOpen(), Boolean);
      expect(stream.events()).toEqual([]);
      relay.join();
      await air(1);
      await eventually(
        () => askFor(behind.address, ''),
        ({ last }) => last === 6,
      );
      await client.ask(behind.address);
      await client.ask(leading.address);
      expect(client.told).toEqual([1, 2, 3, 4, 5, 6]);
      expect(new Set(client.answers)).toEqual(new Set([true]));
      await eventually(
        async () => stream.numbers(),
        ({ length }) => length > 0,
      );
      expect([stream.numbers(), stream.events()]).toEqual([[6], ['new-episode']]);
    },
  );

  test('says that a position is of another past once it has read the store', async () => {
    const { leading, behind, air } = await openTwo();
    await air(2);
    await eventually(
      () => askFor(behind.address, ''),
      ({ last }) => last === 2,
    );
    const { epoch } = await askFor(leading.address, '');
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => askFor(behind.address, `?since=${3 + index}&epoch=${epoch}`)),
    );
    expect(new Set(answers.map(({ complete, last }) => `${complete} ${last}`))).toEqual(new Set(['false 2']));
    const stream = listen(behind.address, `${epoch}-9`);
    await eventually(
      async () => stream.events(),
      ({ length }) => length > 0,
    );
    expect(stream.events()).toEqual(['reset']);
  });
});
