import { describe, expect, onTestFinished, test } from 'vitest';
import { openNewsService } from '../support/news.ts';
import { openTestService, readJson } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

/** https://github.com/wajik45/wajik-anime-api, in the form that it has had since 2025-12. */

const service = openOnce(openNewsService);

/** As the programs do that were written for it: `axios.get(BASE + path)`, then `response.data.data`. */
const AXIOS = { Accept: 'application/json, text/plain, */*' };
const get = (path: string, headers: Record<string, string> = AXIOS) =>
  fetch(service.address + path, { headers });
const read = async (path: string) => readJson(get(path));

const linkOf = (slug: string) => ({
  animeId: slug,
  href: `/otakudesu/anime/${slug}`,
  otakudesuUrl: `${service.source.origin}/anime/${slug}/`,
});

/** What a card says of an anime of the ongoing list. */
// biome-ignore lint/suspicious/noExplicitAny: the entry of an answer
function cardOf({ title, image, episode, day, date, slug }: any) {
  return {
    title,
    poster: image,
    episodes: String(episode),
    releaseDay: day,
    latestReleaseDate: /^\d /u.test(date) ? `0${date}` : date,
    ...linkOf(slug),
  };
}

test('the pages of the ongoing list have the same anime as ours', async () => {
  const { data: first } = await read('/api/anime/home');
  expect(first.maxPage).toBeGreaterThan(1);
  for (let page = 1; page <= first.maxPage; page += 1) {
    const ours = (await read(`/api/anime/home?page=${page}`)).data;
    const body = await read(`/otakudesu/ongoing?page=${page}`);
    expect(body).toEqual({
      statusCode: 200,
      statusMessage: 'OK',
      message: '',
      ok: true,
      data: { animeList: ours.data.map(cardOf) },
      pagination: {
        currentPage: page,
        hasPrevPage: page > 1,
        prevPage: page > 1 ? page - 1 : null,
        hasNextPage: page < first.maxPage,
        nextPage: page < first.maxPage ? page + 1 : null,
        totalPages: first.maxPage,
      },
    });
    expect(body.data.animeList[0].latestReleaseDate).toMatch(/^\d\d [A-Z][a-z]{2}$/u);
  }
});

test('no page, and other parameters, mean the first page', async () => {
  const bytes = async (path: string) => (await get(path)).text();
  const first = await bytes('/otakudesu/ongoing?page=1');
  for (const query of ['', '?', '?order=title', '?2', '?order=title&page=1', '?page=%31'])
    expect([query, await bytes(`/otakudesu/ongoing${query}`)]).toEqual([query, first]);
});

test('home has the newest anime, and says nothing of completed ones', async () => {
  const { data, pagination } = await read('/otakudesu/home');
  const ours = (await read('/api/anime/home')).data.data;
  expect(pagination).toBeNull();
  expect(data).toEqual({
    ongoing: {
      href: '/otakudesu/ongoing',
      otakudesuUrl: `${service.source.origin}/ongoing-anime/`,
      animeList: ours.map(cardOf),
    },
    completed: { href: '', otakudesuUrl: '', animeList: [] },
  });
});

test('the schedule has the same days and anime as ours', async () => {
  const { data } = await read('/otakudesu/schedule');
  const { data: ours } = await read('/api/anime/schedule');
  type Day = { day: string; animeList: { title: string; slug: string }[] };
  expect(data.scheduleList).toEqual(
    ours.map(({ day, animeList }: Day) => ({
      title: day,
      animeList: animeList.map(({ title, slug }) => ({ title, ...linkOf(slug) })),
    })),
  );
});

test('an anime has what is known of it; the rest is empty in the way of its type', async () => {
  const { slug, title, image } = (await read('/api/anime/home')).data.data[0];
  const { data } = await read(`/otakudesu/anime/${slug}`);
  const unknown = ['japanese', 'score', 'producers', 'type', 'duration', 'aired', 'studios', 'episodes'];
  expect(data.details).toEqual({
    title,
    poster: image,
    ...Object.fromEntries(unknown.map((key) => [key, ''])),
    status: 'Ongoing',
    batch: null,
    synopsis: { paragraphList: [] },
    genreList: [],
    episodeList: [],
    recommendedAnimeList: [],
  });
});

test('every href leads to a document', async () => {
  const { data } = await read('/otakudesu/schedule');
  // biome-ignore lint/suspicious/noExplicitAny: the entries of an answer
  const hrefs = data.scheduleList.flatMap(({ animeList }: any) => animeList.map(({ href }: any) => href));
  expect(hrefs.length).toBeGreaterThan(20);
  for (const href of hrefs) expect([href, (await get(href)).status]).toEqual([href, 200]);
});

describe('an error has the envelope', () => {
  const failure = (statusCode: number, statusMessage: string) => ({
    statusCode,
    statusMessage,
    message: expect.stringMatching(/.{10}/u),
    ok: false,
    data: null,
    pagination: null,
  });

  test.each([
    '/otakudesu',
    '/otakudesu/',
    '/otakudesu/search?q=one',
    '/otakudesu/completed',
    '/otakudesu/genres/action',
    '/otakudesu/episode/abc-episode-1',
    '/otakudesu/server/abc',
    '/otakudesu/batch/abc',
    '/otakudesu/anime',
    '/otakudesu/anime/entah',
    '/otakudesu/ongoing?page=999',
  ])('404 at %s', async (path) => {
    const response = await get(path);
    expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(await response.json()).toEqual(failure(404, 'Not Found'));
  });

  test.each(['0', '-1', 'x', '', '1&page=2'])('400 for page=%s', async (page) => {
    const response = await get(`/otakudesu/ongoing?page=${page}`);
    expect([response.status, await response.json()]).toEqual([400, failure(400, 'Bad Request')]);
  });

  test('405 for POST', async () => {
    const response = await fetch(`${service.address}/otakudesu/home`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await response.json()).toEqual(failure(405, 'Method Not Allowed'));
  });

  test('503 before there is a listing', async () => {
    const { address } = await openTestService(onTestFinished, { SERVE: 'listing', REFRESH_CRON: 'off' });
    const response = await fetch(`${address}/otakudesu/home`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    expect(await response.json()).toEqual(failure(503, 'Service Unavailable'));
  });

  test('and elsewhere the usual form', async () => {
    for (const path of ['/otakudesuka', '/api/otakudesu/home'])
      expect(await read(path)).toEqual({ status: false, message: expect.any(String) });
    const page = await get('/otakudesu/search', { Accept: 'text/html' });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });
});
