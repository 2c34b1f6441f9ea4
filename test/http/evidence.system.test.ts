import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { openCrawlerJob } from '../../src/app/open-crawler.ts';
import { renderAnimePage } from '../../src/demo/anime-page.ts';
import { renderOngoingPage, renderSchedulePage } from '../../src/demo/pages.ts';
import type { AnimeEvent } from '../../src/domain/event.ts';
import { type OngoingAnime, PAGE_SIZE } from '../../src/domain/listing.ts';
import { shortDate } from '../../src/domain/source-date.ts';
import { refreshHere } from '../support/refresh-here.ts';
import { eventually, openReadyService, readJson, temporaryFolder } from '../support/service.ts';
import { setClock } from '../support/set-clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A Friday, 20:30 at the source. */
const FRIDAY = Date.parse('2026-11-20T13:30:00Z');

type Shown = { slug: string; episode: number; day: string; state: string };

interface Options {
  at?: number;
  environment?: Record<string, string>;
  /** How far the clock of this machine is ahead of that of the source, ms. */
  aheadMs?: number;
}

/** The whole service and `npm run refresh`, with a site whose pages the test changes and a clock that it sets. */
async function openSite({ at = FRIDAY, environment = {}, aheadMs = 0 }: Options = {}) {
  let [now, ahead] = [at, aheadMs];
  setClock(now + ahead);
  const env = {
    ...{ DATA_DIR: await temporaryFolder(onTestFinished), SOURCE_DELAY: '0', SOURCE_TIMEOUT: '15s' },
    ...{ REFRESH_CRON: '0 0 1 7 *', REFRESH_PEEK: 'off', REFRESH_DETAILS: 'on' },
    ...{ TIME_ZONE: 'Asia/Jakarta', ...environment },
  };
  /** What is different on the page of an anime, by slug; null where it cannot be read. */
  const pages = new Map<string, ((anime: OngoingAnime) => string) | null>();
  const site = await openReadyService(onTestFinished, env, undefined, new Date(at));
  const { source, address } = site;
  const { anime } = source.catalogue;
  const known = new Map(anime.map((one) => [one.slug, one]));
  const pageOf = (one: OngoingAnime) => renderAnimePage(source.origin, one, now);
  const config = readConfig({ ...env, SOURCE_URLS: source.origin }, '0.0.0');
  source.fault = ({ url = '' }, response) => {
    const slug = /^\/anime\/([^/]+)\/$/u.exec(url)?.[1] ?? '';
    const one = anime.find((each) => each.slug === slug) ?? known.get(slug);
    if (one && pages.get(slug) === null) return respond(response, 'gone', 500);
    if (one) return respond(response, (pages.get(slug) ?? pageOf)(one));
    if (url === '/jadwal-rilis/') return respond(response, renderSchedulePage(source.origin, anime));
    const page = Number(/^\/ongoing-anime\/(?:page\/(\d+)\/)?$/u.exec(url)?.[1] ?? 1);
    if (!url.startsWith('/ongoing') || (page - 1) * PAGE_SIZE >= anime.length) return false;
    return respond(response, renderOngoingPage(source.origin, anime, page));
  };
  const get = (path: string) => readJson(fetch(address + path));
  const of = async (slug: string) => (await get(`/api/anime/${slug}`)).data;
  return {
    ...{ ...site, anime, pages, pageOf, get, of },
    /** Crawls after some time, and waits until the service serves what came of it. */
    async refresh(afterMs: number, { aheadMs = 0, force = false } = {}) {
      [now, ahead] = [now + afterMs, aheadMs];
      setClock(now + ahead);
      const { output } = await refreshHere({ ...env, SOURCE_URLS: source.origin }, force);
      const { store, close } = await openCrawlerJob(config, () => {});
      const last = (await store.readSnapshot())?.lastEvent;
      const { refreshedAt } = await store.readStatus();
      await close();
      await eventually(
        async () => [(await get('/api/anime/events')).data.last, (await get('/readyz')).snapshot.refreshedAt],
        (shown) => shown[0] === last && Date.parse(shown[1]) === refreshedAt,
      );
      return output;
    },
    /** The episodes that the events told. */
    told: async (slug: string): Promise<number[]> => {
      const { data } = await get('/api/anime/events');
      const own = (data.events as AnimeEvent[]).filter((one) => one.slug === slug);
      return own.flatMap((one) => (one.type === 'new-episode' ? one.episode : []));
    },
    releases: async (): Promise<Shown[]> => (await get('/api/anime/releases')).data,
    /** Puts an anime on top of the list. */
    show(slug: string, change: Partial<OngoingAnime> = {}) {
      const index = anime.findIndex((one) => one.slug === slug);
      const [one = known.get(slug)!] = index < 0 ? [] : anime.splice(index, 1);
      anime.unshift({ ...one, date: shortDate(now), ...change });
      return anime[0]!;
    },
    /** Lets time pass until the next change of the source. */
    pass(ms: number): void {
      now += ms;
    },
  };
}

function respond(response: ServerResponse, html: string, status = 200): boolean {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=UTF-8' }).end(html);
  return true;
}

const weekly = (anime: readonly OngoingAnime[]) =>
  anime.find((one, index) => index > 9 && one.day !== 'None')!;

test.each([
  { name: 'its page has another one', page: 1, told: [1, 2] },
  { name: 'its page cannot be read', page: null, told: [10, 1, 2] },
  { name: 'no page is read', page: undefined, told: [10, 1, 2] },
  { name: 'it is forced', page: undefined, force: true, told: [10, 1, 2] },
])('a mistyped number takes nothing from the episodes after it, where $name', async (one) => {
  const { page, force = false } = one;
  const REFRESH_DETAILS = page === undefined ? 'off' : 'on';
  const site = await openSite({ environment: { REFRESH_DETAILS } });
  const { slug, episode } = weekly(site.anime);
  const told = one.told.map((step) => episode + step);
  site.pass(6 * DAY);
  site.show(slug, { episode: episode + 10 });
  if (page) site.pages.set(slug, (anime) => site.pageOf({ ...anime, episode: episode + page }));
  if (page === null) site.pages.set(slug, null);
  await site.refresh(0, { force });
  expect(await site.told(slug)).toEqual(page || force ? told.slice(0, 1) : []);
  for (let crawl = 0; crawl < 4; crawl += 1) await site.refresh(3 * HOUR);
  expect(await site.told(slug)).toEqual(told.slice(0, 1));
  site.pages.delete(slug);
  for (const step of [1, 2]) {
    site.show(slug, { episode: episode + step });
    await site.refresh(0);
    await site.refresh(4 * MINUTE);
    const { episodes, next } = await site.of(slug);
    expect(episodes[0].episode).toBe(episode + step);
    expect(next?.late ?? false).toBe(false);
    site.pass(7 * DAY);
  }
  expect(await site.told(slug)).toEqual(told);
});

test('the end of an anime that left is read within a day; back after a week, it is told once', async () => {
  const site = await openSite();
  const { slug } = weekly(site.anime);
  const [gone] = site.anime.splice(
    site.anime.findIndex((one) => one.slug === slug),
    1,
  ) as [OngoingAnime];
  site.pages.set(slug, () => site.pageOf(gone).replace('<b>Status</b>: Ongoing', '<b>Status</b>: Completed'));
  for (const _ of [1, 2]) await site.refresh(HOUR);
  await site.refresh(22 * HOUR);
  await eventually(
    () => site.of(slug),
    ({ details }) => details?.status === 'completed',
  );
  expect(await site.of(slug)).toMatchObject({ leftAt: expect.any(String), next: null });
  expect(await (await fetch(`${site.address}/anime/${slug}?lang=en`)).text()).toContain('has ended');
  await site.refresh(8 * DAY);
  site.pages.delete(slug);
  site.show(slug, { episode: gone.episode + 1 });
  for (const _ of [1, 2]) await site.refresh(HOUR);
  const { events } = (await site.get('/api/anime/events')).data;
  expect(events.map(({ type }: AnimeEvent) => type)).toEqual(['left', 'added', 'new-episode']);
});

test.each([DAY, 365 * DAY, -DAY])(
  'a clock that is wrong by %d ms for one crawl leaves no trace',
  async (aheadMs) => {
    const site = await openSite();
    const [one, other] = [site.anime[30]!, site.anime[40]!];
    await site.refresh(HOUR);
    site.pass(HOUR);
    site.show(one.slug, { episode: one.episode + 1 });
    await site.refresh(0, { aheadMs });
    const { data: before } = await site.get('/api/anime/events');
    site.pass(HOUR);
    site.show(other.slug, { episode: other.episode + 1 });
    await site.refresh(0);
    const { data: after } = await site.get(`/api/anime/events?since=${before.last}&epoch=${before.epoch}`);
    // A client goes on where it was.
    expect(after).toMatchObject({ complete: true, events: [{ slug: other.slug }] });
    const { events } = (await site.get('/api/anime/events')).data;
    for (const { at } of events)
      expect(Math.abs(Date.parse(at) - FRIDAY - 2.5 * HOUR)).toBeLessThan(2 * HOUR);
    for (const { slug } of [one, other])
      expect((await site.of(slug)).episodes[0]).toMatchObject({ seenAt: null, date: '2026-11-20' });
  },
);

test.each([DAY, 365 * DAY])(
  'a clock that was ahead by %d ms at the first start is right at the next crawl',
  async (aheadMs) => {
    const site = await openSite({ aheadMs });
    const { slug, episode } = site.anime[30]!;
    site.show(slug, { episode: episode + 1 });
    await site.refresh(MINUTE);
    const [{ at }] = (await site.get('/api/anime/events')).data.events;
    expect(Date.parse(at)).toBeLessThan(FRIDAY + HOUR);
    expect((await site.of(slug)).episodes[0].date).toBe('2026-11-20');
  },
);

test.each(['Europe/Amsterdam', 'America/New_York', 'Asia/Jakarta'])(
  'what the list dates today is out today in %s, and what it has of last year is not',
  async (TIME_ZONE) => {
    // Half past midnight of Saturday at the source.
    const at = FRIDAY + 4 * HOUR;
    const site = await openSite({ at, environment: { TIME_ZONE, REFRESH_DETAILS: 'off' } });
    const last = site.anime.at(-1)!;
    Object.assign(last, { date: shortDate(at) });
    const dated = site.anime.filter(({ date }) => date === shortDate(at)).map(({ slug }) => slug);
    await site.refresh(MINUTE, { force: true });
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: TIME_ZONE }).format(at);
    const out = (await site.releases()).filter(({ day, state }) => day === today && state === 'out');
    expect(out.map(({ slug }) => slug)).toEqual(expect.arrayContaining(dated.slice(0, -1)));
    expect(out.map(({ slug }) => slug)).not.toContain(last.slug);
  },
);
