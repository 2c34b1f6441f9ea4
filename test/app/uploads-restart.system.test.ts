import { once } from 'node:events';
import { request } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { filesIn } from '../support/files.ts';
import { scrape } from '../support/metrics.ts';
import { describeWithRedis, openTestRedis } from '../support/redis.ts';
import { eventually, openThreadedService, readJson, temporaryFolder } from '../support/service.ts';
import { filePart, MB, MULTIPART, multipart, post, upload } from '../support/upload-client.ts';

/** Uploads in a thread, with a quota for two files of 4 MB, whose thread can be started again. */
async function open(environment: Record<string, string> = {}) {
  const DATA_DIR = await temporaryFolder(onTestFinished);
  const service = await openThreadedService(onTestFinished, {
    SERVE: 'uploads',
    DATA_DIR,
    METRICS_PORT: '0',
    UPLOAD_QUOTA: '10MB',
    UPLOAD_ADDRESS_QUOTA: '10MB',
    UPLOAD_MAX_SIZE: '5MB',
    ...environment,
  });
  const thread = service.threads.get('uploads')!;
  return {
    origin: service.uploads,
    kept: () => filesIn(path.join(DATA_DIR, 'uploads')),
    dependencies: async () => (await readJson(fetch(`${service.operations}/readyz`))).dependencies,
    put: (text: string) => upload(service.uploads, text),
    /** The status of an upload, whatever it is. */
    async try(text: string): Promise<number> {
      return (await post(service.uploads, multipart(filePart('a.txt', text)))).status;
    },
    async restart(): Promise<void> {
      const { restarts } = thread.state();
      thread.restart(new Error('ended by the test'));
      await eventually(
        async () => thread.state(),
        (now) => now.state === 'running' && now.restarts === restarts + 1,
      );
    },
    stored: async () => (await scrape(service.operations)).sample('tayang_stored_files'),
    state: thread.state,
  };
}

const LARGE = 'x'.repeat(4 * MB);

describeWithRedis('uploads that are started again while Redis is away', () => {
  test.each(['with its data', 'empty'])(
    'answer 503, and count what is stored once it is back %s',
    async (how) => {
      const redis = await openTestRedis(onTestFinished);
      const uploads = await open({ UPLOAD_LIMITER_URL: redis.url() });
      const first = await uploads.put(LARGE);
      await (how === 'empty' ? redis.kill() : redis.pause());
      await uploads.restart();
      expect(await uploads.try('small')).toBe(503);
      expect(await uploads.dependencies()).toMatchObject({ limiter: 'down' });
      expect(await (await fetch(uploads.origin + first.file)).text()).toBe(LARGE);

      await (how === 'empty' ? redis.start() : redis.resume());
      await eventually(uploads.dependencies, ({ limiter }) => limiter === 'ok');
      await uploads.put(LARGE);
      expect(await uploads.try(LARGE)).toBe(507);
      expect(uploads.state()).toMatchObject({ state: 'running', restarts: 1 });
    },
  );
});

test('uploads that are started again without Redis count what is stored, and nothing of what was under way', async () => {
  const uploads = await open();
  await uploads.put(LARGE);
  const unfinished = request(`${uploads.origin}/upload`, {
    method: 'POST',
    headers: { 'Content-Type': MULTIPART, 'Content-Length': 4 * MB },
  });
  const broken = once(unfinished, 'error');
  unfinished.write(multipart(filePart('a.txt', LARGE)).subarray(0, 3 * MB));
  await expect
    .poll(uploads.kept)
    .toSatisfy((files: string[]) => files.some((file) => file.includes('staging')));
  await uploads.restart();
  await broken;
  await expect.poll(uploads.stored).toBe(1);
  await uploads.put(LARGE);
  expect(await uploads.try(LARGE)).toBe(507);
});
