import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCatalogue } from '../../src/demo/catalogue.ts';
import type { Subscription } from '../../src/outbox/push/subscription.ts';
import { rowKeyOf } from '../../src/outbox/subscription-body.ts';
import { openSqliteStore } from '../../src/store/drivers/sqlite.ts';
import { createBrowserKeys } from '../../test/support/push-service.ts';
import { exchange } from '../support/exchange.ts';
import { inFolder } from '../support/folders.ts';
import { type Latencies, runClient, within } from '../support/load.ts';
import { quantile } from '../support/measure.ts';
import { type Delivered, startPushService } from '../support/push-service.ts';
import { startBaseline, startService } from '../support/servers.ts';
import { openSource } from '../support/source.ts';
import type { Row } from '../support/table.ts';
import { watchLog } from '../support/watch-log.ts';

const SUBSCRIPTIONS = 10_000;
const FOLLOWERS = SUBSCRIPTIONS / 2;
const RELEASES = 3;
const FOLLOWED = 20;
/** About what a push service takes over the internet. */
const ANSWER_MS = 80;
const PER_SECOND = 200;
const EVERY_SECONDS = 60;
const PAUSE_MS = 10_000;

/** A release that half of ten thousand subscriptions follow: the time to notify all, and the effect on readers. */
export function measurePush(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const pushing = await startPushService(ANSWER_MS);
    await fillStore(folder, pushing.endpoint);
    const source = await openSource();
    const service = await startService(folder, {
      SOURCE_URLS: source.origin,
      SOURCE_DELAY: '0',
      REFRESH_CRON: `*/${EVERY_SECONDS} * * * * *`,
      REFRESH_PEEK: 'off',
      REFRESH_DETAILS: 'off',
      PUSH_CONTACT: 'mailto:ops@example.org',
      WEBHOOK_PRIVATE: 'on',
      LOG_LEVEL: 'debug',
    });
    const log = watchLog(service);
    await log.next('snapshot-loaded');

    const target = '/api/anime/home?page=2';
    const bare = await startBaseline(
      'answer',
      await exchange(service.address + target, { 'Accept-Encoding': 'br' }),
    );
    const seconds = (RELEASES + 1) * EVERY_SECONDS;
    const asking = [service, bare].map(({ address }) =>
      runClient<Latencies>('latency', { url: address + target, perSecond: PER_SECOND, seconds }),
    );
    const rounds: { from: number; delivered: Delivered }[] = [];
    for (let count = 0; count < RELEASES; count += 1) {
      source.change();
      const from = await log.next('refresh-finished');
      while ((await pushing.peek()).messages < FOLLOWERS) await sleep(200);
      // What would be sent twice comes in this time.
      await sleep(PAUSE_MS);
      rounds.push({ from, delivered: await pushing.read() });
    }
    const [ours, theirs] = (await Promise.all(asking)) as [Latencies, Latencies];
    await Promise.all([service.stop(), bare.stop()]);
    source.close();
    pushing.stop();

    const busy = rounds.map(({ delivered: { first, last } }) => ({ from: first, to: last }));
    const idle = busy.map(({ to }) => ({ from: to + 500, to: to + PAUSE_MS }));
    const ratios = (windows: typeof busy, share: number) =>
      windows.map((one) => quantile(within(ours, one), share) / quantile(within(theirs, one), share));
    const told = `${FOLLOWERS.toLocaleString('en')} of ${SUBSCRIPTIONS.toLocaleString('en')} told`;
    return [
      {
        what: `${told}, from the end of the refresh`,
        values: rounds.map(({ from, delivered }) => (delivered.last - from) / 1_000),
        unit: 's',
        wanted: { atMost: 60 },
      },
      {
        what: 'messages missing or sent twice',
        values: rounds.map(({ delivered: { messages, endpoints } }) =>
          Math.max(FOLLOWERS - endpoints, messages - endpoints),
        ),
        wanted: { atMost: 0 },
      },
      {
        what: 'p99 of a page meanwhile, over a bare server',
        values: ratios(busy, 0.99),
        wanted: { atMost: 1.3 },
      },
      {
        what: 'p50 of a page meanwhile, over a bare server',
        values: ratios(busy, 0.5),
        wanted: { atMost: 1.3 },
      },
      { what: 'p99 of a page in the pauses, over a bare server', values: ratios(idle, 0.99) },
      {
        what: 'p99 of a page meanwhile',
        values: busy.map((one) => quantile(within(ours, one), 0.99)),
        unit: 'ms',
      },
    ];
  });
}

/** Half of the subscriptions follow the released anime, all of them other anime too. */
async function fillStore(folder: string, endpoint: (index: number) => string): Promise<void> {
  const catalogue = createCatalogue(new Date());
  const released = Array.from({ length: RELEASES }, () => catalogue.airNextEpisode(new Date()).slug);
  const others = catalogue.anime.map(({ slug }) => slug).filter((slug) => !released.includes(slug));
  const file = path.join(folder, 'cache.sqlite');
  await (await openSqliteStore(`sqlite:${file}`)).close();
  const database = new DatabaseSync(file);
  const insert = database.prepare('INSERT INTO subscriptions (key, text) VALUES (?, ?)');
  const { keys } = createBrowserKeys();
  // One transaction for all of them: each change would be flushed.
  database.exec('BEGIN');
  for (let index = 0; index < SUBSCRIPTIONS; index += 1) {
    const followed = Array.from({ length: FOLLOWED }, (_, place) => others[(index + place) % others.length]!);
    const slugs = index % 2 === 0 ? [...followed, ...released] : followed;
    const subscription: Subscription = { endpoint: endpoint(index), keys, slugs };
    insert.run(rowKeyOf(subscription.endpoint), JSON.stringify(subscription));
  }
  database.exec('COMMIT');
  database.close();
}
