import { expect, onTestFinished, test } from 'vitest';
import { scrape } from '../support/metrics.ts';
import { openPushService } from '../support/push-service.ts';
import { eventually, openThreadedService, readJson } from '../support/service.ts';

/** The whole service, with its threads. */
test('a browser that follows an anime is told of its new episode, and not any more once it has ended that', async () => {
  const service = await openPushService(onTestFinished);
  const { address, source, ready, operations, threads } = await openThreadedService(onTestFinished, {
    REFRESH_CRON: '* * * * * *',
    METRICS_PORT: '0',
    PUSH_CONTACT: 'mailto:ops@example.org',
    WEBHOOK_PRIVATE: 'on',
  });
  await ready();
  await expect.poll(() => fetch(`${address}/push/key`)).toSatisfy(({ status }) => status === 200);
  const [anime, other] = source.catalogue.anime;
  const { slugs, ...subscription } = service.subscribe('ani', [anime!.slug]);
  const change = (method: string, body: object) =>
    fetch(`${address}/push/subscription`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await change('PUT', { subscription, slugs })).status).toBe(204);
  anime!.episode += 1;
  other!.episode += 1;
  await expect.poll(() => service.accepted.length).toSatisfy((count) => count > 0);
  const { title, slug, episode } = anime!;
  expect(service.accepted.map(({ message }) => message.anime)).toEqual([
    [{ slug, title, episode, image: expect.stringContaining('http') }],
  ]);
  await expect
    .poll(async () =>
      (await scrape(operations)).sample('tayang_push_messages_total', { outcome: 'delivered' }),
    )
    .toBe(1);

  const crawler = threads.get('crawler');
  crawler?.restart(new Error('ended by a test'));
  await expect
    .poll(() => crawler?.state())
    .toSatisfy((thread) => thread?.state === 'running' && thread.restarts === 1);
  expect((await change('DELETE', { endpoint: subscription.endpoint })).status).toBe(204);
  anime!.episode += 1;
  await expect.poll(async () => (await readJson(fetch(`${address}/api/anime/events`))).data.last).toBe(3);
  await eventually(ready, ({ status }) => status === 200);
  expect(service.accepted).toHaveLength(1);
});
