import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRefresh } from '../../src/crawler/refresh.ts';
import { createRefreshTimer } from '../../src/crawler/timing/cron.ts';
import { createRefreshTimes } from '../../src/crawler/timing/refresh-times.ts';
import { renderOngoingPage, renderSchedulePage } from '../../src/demo/pages.ts';
import { AppError } from '../../src/domain/errors.ts';
import { DAYS, type OngoingAnime } from '../../src/domain/listing.ts';
import { shortDate } from '../../src/domain/source-date.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/units.ts';
import { createSource } from '../../src/source/create-source.ts';
import { createPageFetcher } from '../../src/source/fetch-page.ts';
import { otakudesu } from '../../src/source/sites/otakudesu/site.ts';
import { openMemoryStore } from '../../src/store/drivers/memory.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import { createRandom } from '../support/create-random.ts';
import { statusOf } from '../support/status.ts';

const BEGIN = Date.parse('2026-11-16T05:10:00Z');
/** The anime are few, so that many pages can be read. */
const COUNT = 12;
const AIR_EVERY_MS = 2.5 * HOUR_MS;
const PEEK_MS = 10 * MINUTE_MS;
/** They read some thousand pages. */
const LONG = { timeout: 300_000 };

/** A list at a moment. */
interface State {
  at: number;
  anime: readonly OngoingAnime[];
}

/** Two mirrors of one list on the loopback interface, and the crawler that reads them, by a clock that is set forward. */
async function openMirrors({ tellsAge, peekMs = PEEK_MS }: { tellsAge: boolean; peekMs?: number }) {
  let now = BEGIN;
  let live: State = {
    at: BEGIN,
    anime: Array.from({ length: COUNT }, (_, index) => ({
      title: `Judul ${index}`,
      slug: `judul-${index}`,
      episode: 3,
      day: DAYS[index % 7] ?? 'Random',
      date: shortDate(BEGIN - index * 12 * HOUR_MS),
      image: `/wp-content/${index}.jpg`,
    })),
  };
  /** When each episode came. */
  const aired = new Map<string, number>();
  const openMirror = async () => {
    const mirror = { origin: '', frozen: undefined as State | undefined, isDown: false, requests: 0 };
    const server = createServer((request, response) => {
      mirror.requests += 1;
      if (mirror.isDown) return void response.writeHead(502).end();
      const { at, anime } = mirror.frozen ?? { ...live, at: now };
      response.setHeader('Content-Type', 'text/html; charset=UTF-8');
      if (tellsAge) response.setHeader('Last-Modified', new Date(at).toUTCString());
      if (request.url === '/jadwal-rilis/') response.end(renderSchedulePage(mirror.origin, anime));
      else response.end(renderOngoingPage(mirror.origin, anime, 1));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    mirror.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return mirror;
  };
  const [first, second] = [await openMirror(), await openMirror()];
  const mirrors = [first.origin, second.origin];
  const fetcher = createPageFetcher({
    timeoutMs: 30_000,
    delayMs: 0,
    userAgent: 'Tayang/test',
    origins: mirrors,
    now: () => now,
  });
  onTestFinished(() => fetcher.close());
  const limits = { timeoutMs: 30_000, delayMs: 0, random: () => 0, report: () => {} };
  const source = createSource(otakudesu, { mirrors, fetcher, ...limits });
  const store = await openSnapshotStore(await openMemoryStore(), { random: () => 0.5 });
  const timer = createRefreshTimer('0 * * * *', 'UTC', 0.5, now);
  const times = createRefreshTimes(timer, peekMs, () => now, createRandom(1));
  const run = createRefresh({ source, store, report: () => {}, now: () => now, times });
  const refresh = (isPeek: boolean) =>
    run({ force: false, signal: new AbortController().signal, isPeek }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
    });
  await refresh(false);
  let airsAt = BEGIN + AIR_EVERY_MS;

  /** The anime at the end gets a new episode and goes to the top. */
  function air(): void {
    const anime = live.anime.at(-1) as OngoingAnime;
    const next = { ...anime, episode: anime.episode + 1, date: shortDate(airsAt) };
    live = { at: airsAt, anime: [next, ...live.anime.slice(0, -1)] };
    aired.set(`${next.slug} ${next.episode}`, airsAt);
    airsAt += AIR_EVERY_MS;
  }

  return {
    first,
    second,
    refresh,
    aired,
    status: () => statusOf(store),
    freeze: () => {
      first.frozen = { ...live, at: now };
    },
    /** Refreshes when the service would, while episodes come, or none does. */
    async pass(ms: number, { isQuiet = false } = {}): Promise<void> {
      const until = now + ms;
      for (;;) {
        const { at, isPeek } = times.nextAttempt(await store.readStatus(), true, now)!;
        if (at > until) break;
        now = Math.max(now, at);
        if (isQuiet) airsAt = now + AIR_EVERY_MS;
        while (airsAt <= now) air();
        await refresh(isPeek);
      }
      now = until;
    },
    /** How long after it came each episode was announced. Throws when an episode is announced twice, or never came. */
    async told(): Promise<Map<string, number>> {
      const events = (await store.readListing())?.events ?? [];
      const episodes = events.filter(({ type }) => type === 'new-episode');
      const delays = new Map<string, number>();
      for (const event of episodes) {
        const name = `${event.slug} ${'episode' in event ? event.episode : ''}`;
        const airedAt = aired.get(name);
        if (airedAt === undefined || delays.has(name))
          throw new Error(`${name} was announced too early, or twice`);
        delays.set(name, event.at - airedAt);
      }
      return delays;
    },
  };
}

describe.each([
  ['says when it was built', true, 3],
  ['does not say when it was built', false, 6],
])('while the first mirror stands still for two days and %s', LONG, (_name, tellsAge, hours) => {
  test('every episode is told from the second, and the first is used again once it wakes up', async () => {
    const { first, second, freeze, pass, told, aired, status } = await openMirrors({ tellsAge });
    await pass(6 * HOUR_MS);
    expect(await status()).toMatchObject({ mirror: first.origin, standsStill: false });
    freeze();
    // It is found to stand still by a crawl.
    await pass((hours + 1.5) * HOUR_MS);
    expect((await status()).mirror).toBe(second.origin);
    const already = (await told()).size;
    expect(already).toBe(aired.size);
    await pass(2 * DAY_MS - (hours + 1.5) * HOUR_MS);
    expect(await status()).toMatchObject({ state: 'ok', mirror: second.origin, standsStill: false });
    const delays = await told();
    expect([...delays.keys()].sort()).toEqual([...aired.keys()].sort());
    expect(delays.size).toBeGreaterThan(15);
    expect(Math.max(...[...delays.values()].slice(already))).toBeLessThan(2.5 * PEEK_MS);
    first.frozen = undefined;
    await pass(HOUR_MS);
    expect((await status()).mirror).toBe(first.origin);
    await pass(DAY_MS / 4);
    expect((await status()).mirror).toBe(first.origin);
    expect((await told()).size).toBe(aired.size);
  });

  test('a failure of the second takes nothing back', async () => {
    const { second, freeze, pass, told, aired, status } = await openMirrors({ tellsAge });
    freeze();
    await pass((hours + 4) * HOUR_MS);
    second.isDown = true;
    await pass(8 * HOUR_MS);
    expect((await status()).state).toBe('down');
    second.isDown = false;
    await pass(3 * HOUR_MS);
    expect((await status()).state).toBe('ok');
    expect((await told()).size).toBe(aired.size);
  });
});

test('a source on which nothing happens is read from its first mirror, and says since when', async () => {
  const { first, second, pass, status } = await openMirrors({ tellsAge: false });
  await pass(5 * HOUR_MS, { isQuiet: true });
  expect(await status()).toMatchObject({ standsStill: false, unchangedSince: BEGIN });
  const readAt = (await status()).readAt ?? 0;
  expect(readAt).toBeGreaterThan(BEGIN + 4.8 * HOUR_MS);
  await pass(4 * HOUR_MS, { isQuiet: true });
  expect(await status()).toMatchObject({
    state: 'ok',
    mirror: first.origin,
    standsStill: true,
    unchangedSince: BEGIN,
    readAt: BEGIN,
  });
  // Only its page 1, in each crawl since then.
  expect(second.requests).toBeLessThanOrEqual(4);
  await pass(4 * HOUR_MS);
  expect(await status()).toMatchObject({ standsStill: false });
});

test('a mirror that stands still costs less than sixty requests a day', LONG, async () => {
  const { first, freeze, pass } = await openMirrors({ tellsAge: true, peekMs: 3 * MINUTE_MS });
  freeze();
  await pass(8 * HOUR_MS);
  const before = first.requests;
  await pass(DAY_MS);
  expect(first.requests - before).toBeLessThan(60);
});
