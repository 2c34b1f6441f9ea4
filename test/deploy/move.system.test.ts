import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../src/store/drivers/sqlite.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import { manualLines } from '../support/manual.ts';
import { createBrowserKeys } from '../support/push-service.ts';
import { describeWithRedis, openTestRedis } from '../support/redis.ts';
import { createdUpload, offsetOf, patch } from '../support/resumable.ts';
import { openTestS3, S3_KEY } from '../support/s3.ts';
import { eventually, readJson, startServe, temporaryFolder } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';
import { send, upload } from '../support/upload-client.ts';
import { openReceiver } from '../support/webhook-receiver.ts';
import { writeStore } from '../support/write-store.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** `MOVE_SCALE=200` moves 10,000 files, 3,000 events and 1,000 subscriptions. */
const SCALE = Number(process.env.MOVE_SCALE ?? 1);
const FILES = 50 * SCALE;
const EVENTS = 15 * SCALE;
const SUBSCRIPTIONS = 5 * SCALE;

interface Places {
  CACHE_URL: string;
  UPLOAD_STORAGE_URL: string;
  UPLOAD_LIMITER_URL: string;
}

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

describeWithRedis('the move in the manual', () => {
  test('to Redis and S3 and back loses no file, event, position or subscription, under load', {
    timeout: SCALE * 900_000,
  }, async () => {
    const cwd = await temporaryFolder(onTestFinished);
    const redis = await openTestRedis(onTestFinished);
    const s3 = await openTestS3(onTestFinished);
    const source = await openTestSource(onTestFinished);
    const hook = await openReceiver(onTestFinished);
    const folder = (name: string): Places => ({
      CACHE_URL: `sqlite:${cwd}/${name}/cache.sqlite`,
      UPLOAD_STORAGE_URL: `file:${cwd}/${name}/uploads`,
      UPLOAD_LIMITER_URL: 'memory:',
    });
    const url = redis.url();
    const apart: Places = { CACHE_URL: url, UPLOAD_STORAGE_URL: s3.url(), UPLOAD_LIMITER_URL: url };
    await mkdir(path.join(cwd, 'data'));
    const environment = {
      ...S3_KEY,
      DATA_DIR: path.join(cwd, 'data'),
      SOURCE_URLS: source.origin,
      SOURCE_DELAY: '0',
      REFRESH_CRON: '*/5 * * * * *',
      REFRESH_PEEK: 'off',
      WEBHOOK_URLS: hook.url,
      WEBHOOK_PRIVATE: 'on',
      BASE_URL: 'https://anime.example.org',
      UPLOAD_URL: 'https://files.example.net',
      PUSH_CONTACT: 'mailto:operator@example.org',
      UPLOAD_RATE_LIMIT: '10000',
      UPLOAD_RATE_WINDOW: '1s',
      UPLOAD_CONCURRENCY: '100',
    };

    const start = async (places: Places) => {
      const service = await startServe({ ...environment, ...places }, onTestFinished);
      const events = async (query = '') =>
        (await readJson(fetch(`${service.listing}/api/anime/events${query}`))).data;
      const isReady = () => readJson(fetch(`${service.listing}/readyz`));
      await eventually(isReady, ({ status, webhooks }) => status && webhooks[0]?.state === 'ok');
      const pushKey = async () => (await readJson(fetch(`${service.listing}/push/key`))).data.key;
      return { ...service, events, isReady, pushKey };
    };

    const [copyMany, copyRest] = splitAt(manualLines('shell'), (line) => line.startsWith('systemctl stop'));
    /** Types lines of the manual, with these addresses in place of its own. */
    const type = async (lines: string[], from: Places, to: Places) => {
      const addresses = `export OLD_CACHE='${from.CACHE_URL}' NEW_CACHE='${to.CACHE_URL}' OLD_UPLOADS='${from.UPLOAD_STORAGE_URL}' NEW_UPLOADS='${to.UPLOAD_STORAGE_URL}' NEW_LIMITER='${to.UPLOAD_LIMITER_URL}'`;
      const typed = lines.filter((line) => !/^(?:export|systemctl)/u.test(line));
      const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment };
      const started = performance.now();
      const { stdout } = await promisify(execFile)('sh', ['-euc', [addresses, ...typed].join('\n')], {
        cwd: ROOT,
        env,
      });
      console.log(
        `${stdout.replace(/^(?!.*(?:KEPT|\d)).*$/gmu, '').replaceAll(/\n+/gu, '\n')}in ${Math.round(performance.now() - started)} ms`,
      );
      return stdout;
    };

    const old = folder('data');
    let service = await start(old);
    await service.events();
    service.kill('SIGTERM');
    await service.ended;
    await seedStore(old.CACHE_URL);
    service = await start(old);

    const files: { file: string; page: string; deletion: string; sha256: string }[] = [];
    const addFiles = async (count: number) => {
      for (let added = 0; added < count; added += 20) {
        const next = Array.from({ length: Math.min(20, count - added) }, async (_, index) => {
          const bytes = randomBytes(files.length === 0 && index === 0 ? 6_000_000 : 1_000 + index);
          return { ...(await upload(service.uploads, bytes, { name: 'a.bin' })), sha256: sha256(bytes) };
        });
        files.push(...(await Promise.all(next)));
      }
    };
    await addFiles(FILES);
    const unfinished = await createdUpload(service.uploads, 300_000);
    await patch(service.uploads, unfinished, 0, randomBytes(100_000));
    const key = await service.pushKey();

    /** Uploads, deletes, continues, and airs episodes, until it is stopped. */
    function makeLoad() {
      let isOver = false;
      let requests = 0;
      const failures: string[] = [];
      const ask = async (what: string, response: Promise<{ status: number }>) => {
        const { status } = await response;
        requests += 1;
        if (status >= 400) failures.push(`${what} ${status}`);
      };
      const running = (async () => {
        while (!isOver) {
          await addFiles(1);
          await ask('/', fetch(`${service.listing}/api/anime/home`));
          await ask('file', fetch(service.uploads + files[Math.floor(Math.random() * files.length)]!.file));
          if (requests % 10 === 0) {
            const [gone] = files.splice(5, 1);
            await ask('delete', fetch(service.uploads + gone!.deletion, { method: 'DELETE' }));
            source.catalogue.airNextEpisode(new Date());
          }
        }
      })();
      return async () => {
        isOver = true;
        await running;
        return { requests, failures };
      };
    }

    const move = async (from: Places, to: Places) => {
      const stopLoad = makeLoad();
      await type(copyMany, from, to);
      const { requests, failures } = await stopLoad();
      expect(failures).toEqual([]);
      expect(requests).toBeGreaterThan(0);
      await patch(
        service.uploads,
        unfinished,
        await offsetOf(service.uploads, unfinished),
        randomBytes(10_000),
      );
      const before = await service.events();
      const offset = await offsetOf(service.uploads, unfinished);
      service.kill('SIGTERM');
      await service.ended;
      const delivered = hook.received.length;
      const stopped = performance.now();
      expect(await type(copyRest, from, to)).toMatch(/compared everything[\s\S]*compared everything/u);
      service = await start(to);
      console.log(
        `moved ${files.length} files, ${requests} requests meanwhile; away for ${Math.round(performance.now() - stopped)} ms`,
      );
      return { before, offset, delivered };
    };

    const requireAll = async ({ before, offset, delivered }: Awaited<ReturnType<typeof move>>) => {
      const query = `?since=${before.last}&epoch=${before.epoch}`;
      expect(await service.events(query)).toMatchObject({ complete: true });
      // An answer has a thousand events at most.
      const page = await service.events(`?since=0&epoch=${before.epoch}`);
      expect(page.events.slice(0, before.events.length)).toEqual(before.events);
      expect(before.last).toBeGreaterThanOrEqual(EVENTS);
      for (let at = 0; at < files.length; at += 20)
        await Promise.all(
          files.slice(at, at + 20).map(async ({ file, page, sha256: expected }) => {
            const response = await fetch(service.uploads + file);
            expect([response.status, sha256(Buffer.from(await response.arrayBuffer()))]).toEqual([
              200,
              expected,
            ]);
            if (at === 0) expect((await send(service.uploads, { path: page })).status).toBe(200);
          }),
        );
      const [deleted] = files.splice(-1);
      const deletion = await fetch(service.uploads + deleted!.deletion, { method: 'DELETE' });
      expect(deletion.status).toBe(204);
      expect(await offsetOf(service.uploads, unfinished)).toBe(offset);
      expect(await service.pushKey()).toBe(key);
      // The next episode is announced once, and nothing is announced again.
      source.catalogue.airNextEpisode(new Date());
      const { last } = await eventually(service.events, (data) => data.last > before.last);
      await eventually(service.isReady, ({ webhooks }) => webhooks[0].pending === 0);
      await expect.poll(() => hook.received.length).toBe(delivered + last - before.last);
      const ids = hook.received.map(({ headers }) => headers['webhook-id']);
      expect(new Set(ids).size).toBe(ids.length);
    };

    await requireAll(await move(old, apart));
    const back = folder('back');
    await requireAll(await move(apart, back));
    expect(await countSubscriptions(back.CACHE_URL)).toBe(SUBSCRIPTIONS);
    for (const created of ['back/cache.sqlite', 'back/uploads'])
      expect((await stat(path.join(cwd, created))).mode & 0o077).toBe(0);
  });
});

/** Adds events of the past, and subscriptions. */
async function seedStore(cacheUrl: string): Promise<void> {
  const store = await openSqliteStore(cacheUrl);
  try {
    const snapshots = await openSnapshotStore(store, { random: () => 0.5 });
    const listing = (await snapshots.readListing())!;
    const { snapshot } = listing;
    const [anime] = snapshot.ongoing;
    const { slug, title } = anime!;
    const events = Array.from({ length: EVENTS }, (_, index) => ({
      type: 'new-episode' as const,
      number: snapshot.lastEvent + index + 1,
      at: Date.now() - (EVENTS - index) * 1_000,
      slug,
      title,
      episode: 1_000 + index,
      day: 'Senin' as const,
    }));
    const lastEvent = snapshot.lastEvent + EVENTS;
    await writeStore(snapshots, {
      listing: { snapshot: { ...snapshot, lastEvent }, events: [...listing.events, ...events] },
    });
    for (let index = 0; index < SUBSCRIPTIONS; index += 1) {
      const subscription = {
        endpoint: `https://push.example/${index}`,
        keys: createBrowserKeys().keys,
        slugs: ['x'],
      };
      const limit = { max: 50_000, day: 20_000, unusedSince: 0 };
      await store.subscriptions.put(sha256(subscription.endpoint), JSON.stringify(subscription), limit);
    }
  } finally {
    await store.close();
  }
}

async function countSubscriptions(cacheUrl: string): Promise<number> {
  const store = await openSqliteStore(cacheUrl);
  onTestFinished(() => store.close());
  return (await store.subscriptions.after('', 100_000)).length;
}

function splitAt(lines: string[], isEnd: (line: string) => boolean): [string[], string[]] {
  const end = lines.findIndex(isEnd);
  return [lines.slice(0, end), lines.slice(end)];
}
