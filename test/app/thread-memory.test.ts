import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { superviseThread } from '../../src/app/threads/supervisor.ts';
import { eventually, openThreadedService, readJson, temporaryFolder } from '../support/service.ts';
import { openReceiver } from '../support/webhook-receiver.ts';

const FILE = 'store.sqlite';

test.each([
  ['in its memory', () => 'memory:'],
  ['in a file that is removed', (folder: string) => `sqlite:${path.join(folder, FILE)}`],
])(
  'the events go on, and no receiver misses one, when the crawler is ended and loses its store %s',
  async (_where, cacheUrl) => {
    const folder = await temporaryFolder(onTestFinished);
    const hook = await openReceiver(onTestFinished);
    const loseStore = () => rm(path.join(folder, FILE), { force: true });
    const service = await openThreadedService(
      onTestFinished,
      {
        CACHE_URL: cacheUrl(folder),
        REFRESH_CRON: '* * * * * *',
        WEBHOOK_URLS: hook.url,
        WEBHOOK_PRIVATE: 'on',
      },
      // The crawler does not run during the wait before its next start.
      (options) => superviseThread(options, { wait: loseStore }),
    );
    await service.ready();
    const crawler = service.threads.get('crawler')!;
    const { anime } = service.source.catalogue;
    const readEvents = async (query = '') =>
      (await readJson(fetch(`${service.address}/api/anime/events${query}`))).data;
    const webhooks = async () => (await readJson(fetch(`${service.address}/readyz`))).webhooks;
    const received = () => hook.received.map(({ body }) => body.data.slug);
    await expect.poll(webhooks).toMatchObject([{ state: 'ok' }]);

    for (const aired of [1, 2]) {
      const before = await readEvents();
      const { slug } = anime[aired]!;
      anime[aired]!.episode += 1;
      const query = `?since=${before.last}&epoch=${before.epoch}`;
      const after = await eventually(
        () => readEvents(query),
        ({ last }) => last >= aired,
      );
      expect(after).toMatchObject({
        complete: true,
        events: [{ number: aired, slug }],
      });
      await expect.poll(received).toHaveLength(aired);
      // A thread that ends before it has noted a delivery repeats it.
      await expect.poll(webhooks).toMatchObject([{ state: 'ok', pending: 0 }]);
      crawler.restart(new Error('ended by the test'));
      await eventually(
        async () => crawler.state(),
        ({ state, restarts }) => state === 'running' && restarts === aired,
      );
    }
    expect(received()).toEqual(anime.slice(1, 3).map(({ slug }) => slug));
  },
);
