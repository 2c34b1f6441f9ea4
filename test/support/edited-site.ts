import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { openCrawlerJob } from '../../src/app/open-crawler.ts';
import { renderSampleAnimePage } from '../../src/demo/anime-page.ts';
import { renderOngoingPage, renderSchedulePage } from '../../src/demo/pages.ts';
import type { AnimeEvent } from '../../src/domain/event.ts';
import { type OngoingAnime, PAGE_SIZE } from '../../src/domain/listing.ts';
import { shortDate } from '../../src/domain/source-date.ts';
import { refreshHere } from './refresh-here.ts';
import { eventually, openReadyService, readJson, temporaryFolder } from './service.ts';
import { setClock } from './set-clock.ts';
import { openTestSource } from './source.ts';
import { statusOf } from './status.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** A Friday, 20:30 at the source. */
export const FRIDAY = Date.parse('2026-11-20T13:30:00Z');

export type Shown = { slug: string; episode: number; day: string; state: string };

interface Options {
  at?: number;
  /** How many anime the site has at first. */
  count?: number;
  environment?: Record<string, string>;
  /** How far the clock of this machine is ahead of the source's, ms. */
  aheadMs?: number;
  /** An anime as the first page ever shows it. */
  mistyped?: (anime: readonly OngoingAnime[]) => OngoingAnime;
}

/** The whole service and `npm run refresh`, with a site whose pages the test changes and a clock that it sets. */
export async function openSite({
  at = FRIDAY,
  count = 60,
  environment = {},
  aheadMs = 0,
  mistyped,
}: Options = {}) {
  let [now, ahead] = [at, aheadMs];
  setClock(now + ahead);
  const source = await openTestSource(onTestFinished, new Date(at));
  const { anime } = source.catalogue;
  anime.splice(count);
  const wrong = mistyped?.(anime);
  const right = anime.find(({ slug }) => slug === wrong?.slug);
  if (wrong && right) anime[anime.indexOf(right)] = wrong;
  const env = {
    DATA_DIR: await temporaryFolder(onTestFinished),
    SOURCE_URLS: source.origin,
    SOURCE_DELAY: '0',
    SOURCE_TIMEOUT: '15s',
    REFRESH_CRON: '0 0 1 7 *',
    REFRESH_PEEK: 'off',
    REFRESH_DETAILS: 'on',
    TIME_ZONE: 'Asia/Jakarta',
    ...environment,
  };
  const config = readConfig(env, '0.0.0');
  /** How to render the page of an anime, by slug; null if it cannot be read, `gone` if there is none. */
  const pages = new Map<string, ((anime: OngoingAnime) => string) | null | 'gone'>();
  const changed = {
    list: (html: string, _page: number) => html,
    /** The anime of a page of the list. */
    anime: (all: OngoingAnime[], _page: number) => all,
    week: (all: readonly OngoingAnime[]) => all,
    /** The age of a page of the list according to its headers, ms; null without such a header. */
    age: (_page: number): number | null => 0,
    /** Whether the source answers 500 to everything. */
    isAway: false,
  };
  const known = new Map(anime.map((one) => [one.slug, one]));
  const pageOf = (one: OngoingAnime) => renderSampleAnimePage(source.origin, one, now);
  if (right) pages.set(right.slug, () => pageOf(right));
  source.fault = ({ url = '' }, response) => {
    if (changed.isAway) return respond(response, 'away', 500);
    const slug = /^\/anime\/([^/]+)\/$/u.exec(url)?.[1] ?? '';
    const one = anime.find((each) => each.slug === slug) ?? known.get(slug);
    const page = pages.get(slug);
    if (page === null) return respond(response, 'away', 500);
    if (page === 'gone') return respond(response, 'gone', 404);
    if (one) return respond(response, (page ?? pageOf)(one));
    if (url === '/jadwal-rilis/')
      return respond(response, renderSchedulePage(source.origin, [...changed.week(anime)]));
    const number = Number(/^\/ongoing-anime\/(?:page\/(\d+)\/)?$/u.exec(url)?.[1] ?? 1);
    if (!url.startsWith('/ongoing') || (number - 1) * PAGE_SIZE >= anime.length) return false;
    // A list that stays the same for hours and shows no age counts as an old copy.
    const age = changed.age(number);
    if (age !== null) response.setHeader('Last-Modified', new Date(now - age).toUTCString());
    return respond(
      response,
      changed.list(renderOngoingPage(source.origin, changed.anime(anime, number), number), number),
    );
  };
  const { address, ...site } = await openReadyService(onTestFinished, env);
  const get = (path: string) => readJson(fetch(address + path));
  const of = async (slug: string) => (await get(`/api/anime/${slug}`)).data;
  // The pages are read in the background. Their first reading must come before a test changes them.
  if (env.REFRESH_DETAILS === 'on')
    await eventually(
      () => get('/readyz'),
      (ready) => ready.source.details.missing === 0,
    );
  return {
    ...site,
    address,
    source,
    env,
    anime,
    pages,
    changed,
    pageOf,
    get,
    of,
    ask: (path: string, init: RequestInit = {}) => fetch(address + path, init),
    /** Lets the running service read page 1 after some time. */
    async peek(afterMs: number) {
      now += afterMs;
      setClock(now);
      const isRead = ({ source: { readAt } }: { source: { readAt: string } }) => Date.parse(readAt) >= now;
      return eventually(() => get('/readyz'), isRead);
    },
    /** Lets some time pass, in which the running service fails to read the source. */
    async miss(afterMs: number) {
      now += afterMs;
      setClock(now);
      const isTried = ({ source: { state } }: { source: { state: string } }) => state === 'down';
      return eventually(() => get('/readyz'), isTried);
    },
    /** Crawls after some time, and waits until the service serves the result. */
    async refresh(afterMs: number, { aheadMs = 0, force = false } = {}) {
      [now, ahead] = [now + afterMs, aheadMs];
      setClock(now + ahead);
      const { output } = await refreshHere(env, force);
      const { store, close } = await openCrawlerJob(config, () => {});
      const last = (await store.readSnapshot())?.lastEvent;
      const { refreshedAt } = await statusOf(store);
      await close();
      await eventually(
        async () => [(await get('/api/anime/events')).data.last, (await get('/readyz')).snapshot.refreshedAt],
        (shown) => shown[0] === last && Date.parse(shown[1]) === refreshedAt,
      );
      return output;
    },
    /** The episodes that events have announced. */
    told: async (slug: string): Promise<number[]> => {
      const { data } = await get('/api/anime/events');
      const own = (data.events as AnimeEvent[]).filter((one) => one.slug === slug);
      return own.flatMap((one) => (one.type === 'new-episode' ? one.episode : []));
    },
    /** Waits until the API shows that the page of an anime was read. */
    read: (slug: string, accept: (record: Awaited<ReturnType<typeof of>>) => boolean) =>
      eventually(() => of(slug), accept),
    releases: async (): Promise<Shown[]> => (await get('/api/anime/releases')).data,
    /** Puts an anime on top of the list. */
    show(slug: string, change: Partial<OngoingAnime> = {}) {
      const index = anime.findIndex((one) => one.slug === slug);
      const [one = known.get(slug)!] = index < 0 ? [] : anime.splice(index, 1);
      anime.unshift({ ...one, date: shortDate(now), ...change });
      return anime[0]!;
    },
    /** Gives an anime that the list does not show a page of its own. */
    know: (one: OngoingAnime) => void known.set(one.slug, one),
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

/** An anime of page 1 with a day in the schedule. */
export const weekly = (anime: readonly OngoingAnime[]) =>
  anime.find((one, index) => index > 9 && one.day !== 'None')!;

/** The page of an anime with other rows: the text after the title and the day (`2026-11-20`) of each, the newest first. */
export function withRows(
  page: string,
  { title }: OngoingAnime,
  rows: readonly [text: string, day: string][],
): string {
  const items = rows.map(([text, day], index) => {
    const [year, month, date] = day.split('-');
    const name = MONTH_NAMES[Number(month) - 1];
    const link = `<a href="/episode/baris-${index}/">${title} ${text} Subtitle Indonesia</a>`;
    return `<li><span>${link}</span><span class='zeebr' style='float:right'>${Number(date)} ${name},${year}</span></li>`;
  });
  return page.replace(
    /(Episode List<\/span><\/div><ul>).*?<\/ul>/su,
    (_, start) => `${start}${items.join('')}</ul>`,
  );
}

const MONTH_NAMES =
  'Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember'.split(' ');
