import { expect, onTestFinished, test } from 'vitest';
import { shortDate } from '../../src/domain/source-date.ts';
import { openPushService } from '../support/push-service.ts';
import { eventually, openReadyService, readJson } from '../support/service.ts';
import { openReceiver } from '../support/webhook-receiver.ts';

/** The whole service, which crawls every second. */
async function openSender() {
  const hook = await openReceiver(onTestFinished);
  const push = await openPushService(onTestFinished);
  const service = await openReadyService(onTestFinished, {
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
    async follow(...followed: string[]) {
      const { slugs, ...subscription } = push.subscribe('ani', followed);
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

test('a subscription with a former slug gets the episodes of the new one, and receivers get the correction', async () => {
  const { source, push, follow, messages } = await openSender();
  const anime = source.catalogue.anime[3]!;
  const former = anime.slug;
  await follow(former);
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
  const { source, push, follow, messages, address } = await openSender();
  const slug = 'anime-baru-sub-indo';
  await follow(slug);
  source.catalogue.anime.unshift({ ...source.catalogue.anime[0]!, slug, title: 'Anime baru', episode: 1 });
  expect(await messages(2)).toMatchObject([
    { type: 'anime.added', slug, episode: 1 },
    { type: 'anime.new-episode', slug, episode: 1 },
  ]);
  await expect.poll(() => push.accepted.length).toBe(1);
  expect(push.accepted[0]?.message).toMatchObject({ anime: [{ slug, episode: 1 }], count: 1 });
  const feed = await readJson(fetch(`${address}/feeds/episodes.json`));
  expect(feed.items.map(({ title }: { title: string }) => title)).toEqual(['Anime baru – Episode 1']);
});
