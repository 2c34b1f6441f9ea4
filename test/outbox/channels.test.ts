import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { AnimeRecord } from '../../src/domain/anime-record.ts';
import type { AnimeEvent } from '../../src/domain/event.ts';
import { composeAnnouncement } from '../../src/outbox/channels/announcement.ts';
import { openTestChannelSender } from '../support/channel-sender.ts';
import { openDiscord, type TestDiscord } from '../support/discord.ts';
import { NOON } from '../support/outbox.ts';
import { makeEvents } from '../support/webhook-store.ts';

let discord: TestDiscord;
let sender: Awaited<ReturnType<typeof openTestChannelSender>>;

beforeEach(async () => {
  discord = await openDiscord(onTestFinished);
  sender = await openTestChannelSender(onTestFinished);
});

/** Begins announcements in the channels of these webhooks, and forgets their first messages. */
async function begin(...ids: (string | number)[]): Promise<void> {
  for (const id of ids) expect(await sender.subscribe(discord.addressOf(id))).toEqual({ type: 'done' });
  discord.posted.length = 0;
}

/** So many new episodes, which are sent to all whom they can be sent to. */
async function air(count = 1): Promise<void> {
  await sender.write(count);
  await sender.whenSent();
}

const episodes = (...numbers: number[]) => numbers.map((number) => `Episode ${number} is out`);

test('a channel is told of each new episode once, in order, and of none before its first message', async () => {
  await sender.write(2);
  await sender.start();
  await begin(1);
  await air();
  await air(12);
  await expect.poll(() => discord.told(1)).toHaveLength(13);
  expect(discord.told(1)).toEqual(episodes(3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  expect(discord.posted.map(({ embeds }) => embeds.length)).toEqual([1, 10, 2]);
  for (const { url, body } of discord.requests) {
    expect(url).toMatch(/\?wait=true$/u);
    expect(body.allowed_mentions).toEqual({ parse: [] });
  }
});

test('the first message says what will come, and where to stop it', async () => {
  await sender.subscribe(discord.addressOf(1), null, 'id');
  await sender.subscribe(discord.addressOf(2), ['judul-1', 'koki-*'], 'en');
  const [all, some] = discord.posted.map(({ embeds: [embed] }) => embed?.description);
  expect(all).toMatch(/setiap episode baru.*\n.*https:\/\/tayang\.example\/channels\?lang=id/u);
  expect(some).toMatch(/\(2\):\n- judul\\-1\n- koki\\-\\\*\n.*https:\/\/tayang\.example\/channels\?lang=en/u);
});

test('a channel of some anime is told of these alone', async () => {
  await sender.start();
  await sender.subscribe(discord.addressOf(1), ['judul-2', 'not-listed-yet']);
  await begin(2);
  await air(3);
  await expect.poll(() => discord.told(2)).toEqual(episodes(1, 2, 3));
  expect(discord.told(1)).toEqual(episodes(2));
});

test('a channel that hangs, fails or is gone delays nobody, and misses nothing', async () => {
  const hanging = Promise.withResolvers<undefined>();
  discord.answer = () => undefined;
  await sender.start();
  await begin(...Array.from({ length: 12 }, (_, index) => index + 1));
  discord.answer = (id) => {
    if (id === '1') return hanging.promise;
    if (id === '2') return { status: 500 };
    return id === '3' ? { status: 404, body: { message: 'Unknown Webhook' } } : undefined;
  };
  for (const episode of [1, 2]) {
    await air();
    for (let id = 4; id <= 12; id += 1)
      await expect.poll(() => discord.told(id)).toEqual(episodes(1, 2).slice(0, episode));
  }
  discord.answer = () => undefined;
  hanging.resolve(undefined);
  for (const id of [1, 2]) await expect.poll(() => discord.told(id)).toEqual(episodes(1, 2));
  expect(discord.told(3)).toEqual([]);
  expect(await sender.count()).toBe(11);
  await air();
  for (const id of [1, 2]) await expect.poll(() => discord.told(id)).toEqual(episodes(1, 2, 3));
  await expect.poll(sender.behind).toEqual([]);
});

test.each([401, 403, 404])('a webhook that answers %d is forgotten', async (status) => {
  await sender.start();
  await begin(1);
  discord.answer = () => ({ status });
  await air();
  await expect.poll(sender.count).toBe(0);
});

test('the limit of each webhook and the limit of Discord for all are kept', async () => {
  await sender.start();
  await begin(1, 2);
  let answers = 0;
  const at: number[] = [];
  discord.answer = (id) => {
    if (id === '2') return undefined;
    answers += 1;
    at.push(performance.now());
    const spent = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '0.4' };
    if (answers === 1) return { status: 200, headers: spent };
    return answers === 2
      ? { status: 429, headers: { 'x-ratelimit-scope': 'user' }, body: { retry_after: 0.6 } }
      : { status: 200 };
  };
  await air();
  await air();
  await expect.poll(() => discord.told(1)).toEqual(episodes(1, 2));
  expect(discord.told(2)).toEqual(episodes(1, 2));
  expect(at[1]! - at[0]!).toBeGreaterThan(390);
  expect(at[2]! - at[1]!).toBeGreaterThan(590);

  let limitedAt = 0;
  discord.answer = () => {
    if (limitedAt > 0) return undefined;
    limitedAt = performance.now();
    return { status: 429, headers: { 'retry-after': '1', 'x-ratelimit-global': 'true' } };
  };
  await begin(3).catch(() => {});
  expect(limitedAt).toBeGreaterThan(0);
  discord.posted.length = 0;
  await air();
  await expect.poll(() => discord.told(2)).toEqual(episodes(3));
  expect(discord.posted[0]!.at - limitedAt).toBeGreaterThan(990);
});

test('nothing is missed or told twice where the sender is stopped in the middle of it', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => index + 1);
  const stop = await sender.start();
  await begin(...ids);
  let stopping: Promise<void> | undefined;
  discord.answer = (id) => {
    if (discord.posted.length >= 15) stopping ??= stop();
    // It is still behind when the process ends.
    return id === '5' && stopping === undefined ? { status: 503 } : undefined;
  };
  await sender.write(2);
  await expect.poll(() => stopping !== undefined).toBe(true);
  await stopping;
  expect(discord.posted.length).toBeLessThan(40);
  await sender.start();
  await sender.write();
  for (const id of ids) await expect.poll(() => discord.told(id)).toEqual(episodes(1, 2, 3));
});

test('channels that were lost with the store are told all the same, once', async () => {
  await sender.start();
  await begin(1, 2);
  await air();
  await expect.poll(() => discord.posted.length).toBe(2);
  sender.database.exec(
    "DELETE FROM keyv WHERE key LIKE '%channels%'; DELETE FROM channels; DELETE FROM channel_days",
  );
  await air();
  for (const id of [1, 2]) await expect.poll(() => discord.told(id)).toEqual(episodes(1, 2));
  expect(await sender.count()).toBe(2);
  expect(sender.events).toContainEqual({ type: 'channels-restored', count: 2 });
});

describe('a change that Discord does not accept', () => {
  const cases: [string, Awaited<ReturnType<TestDiscord['answer']>>, object][] = [
    [
      'refused',
      { status: 400, body: { message: 'Invalid token-of-1' } },
      { type: 'refused', reason: '400 Invalid ***' },
    ],
    ['redirected', { status: 302, headers: { location: '/elsewhere' } }, { type: 'refused', reason: '302' }],
    [
      'gone',
      { status: 404, body: { message: 'Unknown Webhook' } },
      { type: 'refused', reason: '404 Unknown Webhook' },
    ],
    ['too early', { status: 429, headers: { 'retry-after': '9' } }, { type: 'busy', retryAfterMs: 9_000 }],
    [
      'far too early',
      { status: 429, headers: { 'retry-after': '99999999' } },
      { type: 'busy', retryAfterMs: 6 * 3_600_000 },
    ],
    ['down', { status: 503 }, { type: 'unreachable', reason: 'it answered 503' }],
  ];

  test.each(cases)('%s', async (name, answer, expected) => {
    await begin(1);
    discord.answer = () => answer;
    expect(await sender.subscribe(discord.addressOf(1), ['judul-2'])).toEqual(expected);
    expect(await sender.subscribe(discord.addressOf(2))).toMatchObject({
      type: (expected as { type: string }).type,
    });
    discord.answer = () => undefined;
    // What the channel had stays, unless the webhook is gone.
    expect(await sender.count()).toBe(name === 'gone' ? 0 : 1);
    await sender.start();
    await air();
    await sender.settle();
    expect(discord.told(1)).toEqual(name === 'gone' ? [] : episodes(1));
  });
});

test('a change replaces what the webhook had, in whatever form its address is', async () => {
  await sender.start();
  await begin(1);
  await sender.subscribe(discord.addressOf(1).replace('/api/', '/api/v10/').concat('?thread_id=5'), [
    'judul-2',
  ]);
  discord.posted.length = 0;
  await air(2);
  await expect.poll(() => discord.told(1)).toEqual(episodes(2));
  expect(await sender.count()).toBe(1);
  expect(discord.requests.at(-1)?.url).toMatch(/\/api\/v10\/.*\?thread_id=5&wait=true$/u);
});

test('no more channels are kept than may be', async () => {
  sender = await openTestChannelSender(onTestFinished, { max: 1 });
  await begin(1);
  expect(await sender.subscribe(discord.addressOf(2))).toEqual({ type: 'full' });
  expect(await sender.subscribe(discord.addressOf(1))).toEqual({ type: 'done' });
});

describe('an announcement', () => {
  const [event] = makeEvents(1, 1, NOON) as [Extract<AnimeEvent, { episode: number }>];
  const record = {
    title: '**Naga** [x](y) @everyone',
    slug: 'naga',
    episodes: [{ episode: 1, releasedAt: NOON - 60_000 }],
    next: { episode: 2, expectedAt: NOON + 1_000, late: false },
    image: null,
  } as unknown as AnimeRecord;
  const known = {
    url: 'https://tayang.example',
    coverOf: () => undefined,
    records: new Map([['naga', record]]),
  };
  const all = { slugs: null, language: 'en' } as const;

  test('has cover, page, the hour for each reader, and the next episode; Markdown of titles is text', () => {
    const log = { renamed: new Map([['judul-1', 'naga']]) };
    const { message } = composeAnnouncement(all, [event], log, known) ?? expect.fail();
    expect(message).toEqual([
      {
        title: '\\*\\*Naga\\*\\* \\[x\\]\\(y\\) \\@everyone',
        description: `**Episode 1 is out** · <t:${NOON / 1_000 - 60}:t>\nNext: episode 2, <t:${NOON / 1_000 + 1}:f>`,
        url: 'https://tayang.example/anime/naga?lang=en',
        thumbnail: { url: event.image },
      },
    ]);
  });

  test('reaches who follows an anime by its former slug, in the language of the channel', () => {
    const channel = { slugs: ['judul-1'], language: 'id' } as const;
    const log = { renamed: new Map([['judul-1', 'naga']]) };
    const { message } =
      composeAnnouncement(channel, [{ ...event, slug: 'naga' }], log, known) ?? expect.fail();
    expect(message[0]).toMatchObject({ description: expect.stringContaining('Episode 1 sudah rilis') });
    expect(composeAnnouncement({ ...channel, slugs: ['other'] }, [event], log, known)).toBeUndefined();
  });
});
