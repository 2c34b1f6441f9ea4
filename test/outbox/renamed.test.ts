import { expect, test } from 'vitest';
import { shortDate } from '../../src/domain/source-date.ts';
import type { Defer } from '../support/defer.ts';
import { openPushService } from '../support/push-service.ts';
import { eventually, openReadyService, readJson } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';
import { openReceiver } from '../support/webhook-receiver.ts';

/** The whole service, which crawls every second. */
async function openSender(defer: Defer) {
  const hook = await openReceiver(defer);
  const push = await openPushService(defer);
  const service = await openReadyService(defer, {
    REFRESH_CRON: '* * * * * *',
    REFRESH_DETAILS: 'on',
    PUSH_CONTACT: 'mailto:ops@example.org',
    WEBHOOK_URLS: hook.url,
    WEBHOOK_PRIVATE: 'on',
  });
  await eventually(
    () => fetch(`${service.address}/push/key`),
    ({ status }) => status === 200,
  );
  await eventually(
    async () => (await readJson(fetch(`${service.address}/readyz`))).webhooks,
    ([state]) => state.state !== 'standby',
  );
  return {
    ...service,
    push,
    async follow(name: string, ...followed: string[]) {
      const { slugs, ...subscription } = push.subscribe(name, followed);
      const response = await fetch(`${service.address}/push/subscription`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ subscription, slugs }),
      });
      expect(response.status).toBe(204);
    },
    /** Resolves with the types and slugs of the messages to the receiver, once there are so many. */
    messages: async (count: number) => {
      await expect.poll(() => hook.received.length).toBe(count);
      return hook.received.map(({ body: { type, data } }) => ({ ...data, type }));
    },
  };
}

const sender = openOnce(openSender);

test('a subscription with a former slug gets the episodes of the new one, and receivers get the correction', async () => {
  const { source, push, follow, messages } = sender;
  const anime = source.catalogue.anime[3]!;
  const former = anime.slug;
  await follow('ani', former);
  anime.slug = 'judul-yang-benar-sub-indo';
  expect(await messages(1)).toMatchObject([
    { type: 'anime.renamed', slug: anime.slug, from: former, title: anime.title },
  ]);
  expect(push.accepted).toEqual([]);

  // Two episodes in one night.
  anime.episode += 2;
  anime.date = shortDate(Date.now());
  source.catalogue.anime.unshift(...source.catalogue.anime.splice(3, 1));
  const [, one, two] = await messages(3);
  const numbers = [anime.episode - 1, anime.episode];
  expect([one, two]).toMatchObject(
    numbers.map((episode) => ({ type: 'anime.new-episode', slug: anime.slug, episode })),
  );
  await expect.poll(() => push.accepted.length).toBe(1);
  expect(push.accepted[0]?.message).toMatchObject({
    anime: [{ slug: anime.slug, title: anime.title, episode: anime.episode, episodes: numbers }],
    count: 1,
  });
});

test('a premiere is one message to its followers', async () => {
  const { source, push, follow, messages, address } = sender;
  const slug = 'anime-baru-sub-indo';
  const [told, pushed] = [await messages(3), push.accepted.length];
  await follow('budi', slug);
  source.catalogue.anime.unshift({ ...source.catalogue.anime[0]!, slug, title: 'Anime baru', episode: 1 });
  expect((await messages(told.length + 2)).slice(told.length)).toMatchObject([
    { type: 'anime.added', slug, episode: 1 },
    { type: 'anime.new-episode', slug, episode: 1 },
  ]);
  await expect.poll(() => push.accepted.length).toBe(pushed + 1);
  expect(push.accepted.at(-1)?.message).toMatchObject({ anime: [{ slug, episode: 1 }], count: 1 });
  const feed = await readJson(fetch(`${address}/feeds/episodes.json`));
  const titles = feed.items.map(({ title }: { title: string }) => title);
  expect(titles.filter((title: string) => title.startsWith('Anime baru'))).toEqual([
    'Anime baru – Episode 1',
  ]);
});
