import { parseAtomFeed, parseJsonFeed } from 'feedsmith';
import { beforeAll, describe, expect, test } from 'vitest';
import { send } from '../support/client.ts';
import { openNewsService } from '../support/news.ts';
import { readJson } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

/** A slug that the source corrects twice. */
const NEW = 'penjaga-di-kota-sub-indo';
const NEW_WITH_ESCAPES = 'naga-%e2%99%a5-sub-indo';

const service = openOnce(openNewsService);
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(service.address, { path, headers, method });
const textOf = async (path: string) => (await ask(path)).text;

/** The former slugs, the oldest first. */
let [OLD, MIDDLE, OLD_WITH_ESCAPES, OTHER] = ['', 'penjaga-di-kota-hujann-sub-indo', '', ''];
let title = '';
/** The ids of entries in the feeds before the corrections. */
let idsBefore: (string | undefined)[] = [];

const atomIds = async (query = '') =>
  parseAtomFeed(await textOf(`/feeds/episodes.atom${query}`)).entries?.map(({ id }) => id) ?? [];

beforeAll(async () => {
  const { anime } = service.source.catalogue;
  const corrected = anime.find(({ day }) => day === 'Senin')!;
  const withEscapes = anime.find(({ slug }) => slug.includes('%'))!;
  OLD = corrected.slug;
  title = corrected.title;
  OLD_WITH_ESCAPES = withEscapes.slug;
  OTHER = anime.find(({ day }) => day === 'Kamis')!.slug;
  service.airEpisode(anime.indexOf(corrected));
  await service.refreshUntil(1);
  idsBefore = await atomIds();
  corrected.slug = MIDDLE;
  withEscapes.slug = NEW_WITH_ESCAPES;
  await service.refreshUntil(3);
  corrected.slug = NEW;
  await service.refreshUntil(4);
});

describe('a slug that was corrected', () => {
  const PLACES = [
    (slug: string) => `/anime/${slug}`,
    (slug: string) => `/anime/${slug}?lang=en`,
    (slug: string) => `/anime/${slug}?lang=id&from=a%20b`,
    (slug: string) => `/api/anime/${slug}`,
    (slug: string) => `/otakudesu/anime/${slug}`,
    (slug: string) => `/feeds/episodes.atom?slug=${slug}`,
    (slug: string) => `/feeds/episodes.json?slug=${slug}`,
    (slug: string) => `/feeds/schedule.ics?slug=${slug}`,
    (slug: string) => `/feeds/schedule.ics?alarm=30m&slug=${slug}&slug=${OTHER}`,
  ];

  test.each(PLACES)('leads from each former address to the one with the new slug: %s', async (placeOf) => {
    for (const [former, current] of [
      [OLD, NEW],
      [MIDDLE, NEW],
      [OLD_WITH_ESCAPES, NEW_WITH_ESCAPES],
      [OLD_WITH_ESCAPES.replaceAll(/%../gu, (code) => code.toUpperCase()), NEW_WITH_ESCAPES],
    ]) {
      const answer = await ask(placeOf(former!));
      expect([answer.status, answer.headers.location]).toEqual([308, placeOf(current!)]);
      expect((await ask(answer.headers.location!)).status).toBe(200);
    }
  });

  test('is redirected as a copy of a state, for every origin, without a body', async () => {
    const [page, redirect] = [await ask(`/api/anime/${NEW}`), await ask(`/api/anime/${OLD}`)];
    const same = ['cache-control', 'access-control-allow-origin', 'access-control-expose-headers'];
    for (const name of [...same, 'x-content-type-options'])
      expect([name, redirect.headers[name]]).toEqual([name, page.headers[name]]);
    expect(redirect.headers['cache-status']).toMatch(/^tayang; hit.*; detail=ok$/u);
    expect(redirect.headers['content-length']).toBe('0');
    expect(redirect.text).toBe('');
  });

  test.each([
    ['GET', { 'If-None-Match': '*' }],
    ['GET', { 'If-Modified-Since': new Date().toUTCString() }],
    ['GET', { 'If-Match': '"x"' }],
    ['GET', { Accept: 'text/html' }],
    ['GET', { 'Accept-Encoding': 'identity;q=0' }],
    ['HEAD', {}],
  ])('is redirected whatever the request asks beside (%s %j)', async (method, headers) => {
    const answer = await ask(`/anime/${OLD}`, headers, method);
    expect([answer.status, answer.headers.location]).toEqual([308, `/anime/${NEW}`]);
  });

  test('accepts no other method, and can be asked for by pages of other origins', async () => {
    const refused = await ask(`/api/anime/${OLD}`, {}, 'POST');
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect((await ask(`/api/anime/${OLD}`, {}, 'OPTIONS')).status).toBe(204);
  });

  test('is no slug of anything else', async () => {
    for (const path of ['/anime/constructor', `/feeds/episodes.atom?slug=${OLD}x`, `/anime/${OLD}/x`])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    const twice = await ask(`/feeds/episodes.atom?slug=${NEW}&slug=${OTHER}`);
    expect(twice.status).toBe(400);
  });

  test('is one event, and the anime keeps its history', async () => {
    const { data } = await readJson(fetch(`${service.address}/api/anime/events`));
    expect(data.events).toMatchObject([
      { type: 'new-episode', slug: OLD },
      { type: 'renamed', from: OLD, slug: MIDDLE, title },
      { type: 'renamed', from: OLD_WITH_ESCAPES, slug: NEW_WITH_ESCAPES },
      { type: 'renamed', from: MIDDLE, slug: NEW, title, image: expect.stringContaining('http') },
    ]);
    const { data: anime } = await readJson(fetch(`${service.address}/api/anime/${OLD}`));
    expect(anime).toMatchObject({ slug: NEW, title, leftAt: null });
    expect(anime.episodes).not.toEqual([]);
  });

  test('is an event of the stream by that name', async () => {
    const stream = await fetch(`${service.address}/api/anime/events/stream?since=3`);
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes(NEW)) text += (await reader.read()).value;
    await reader.cancel();
    expect(text).toContain('event: renamed\ndata: {"number":4,');
  });

  test('changes the links of entries in feeds, and no id', async () => {
    expect(idsBefore).toHaveLength(1);
    expect(await atomIds()).toEqual(idsBefore);
    expect(await atomIds(`?slug=${NEW}`)).toEqual(idsBefore);
    const feed = parseJsonFeed(JSON.parse(await textOf('/feeds/episodes.json')));
    expect(feed.items?.map(({ id, url }) => [id, url])).toEqual([
      [idsBefore[0], expect.stringMatching(`/anime/${NEW}$`)],
    ]);
  });

  test('is named by pages, so that browsers follow the new one', async () => {
    for (const path of ['/?lang=id', `/anime/${OTHER}?lang=en`]) {
      const [, data = ''] = / data-renamed="([^"]+)"/u.exec(await textOf(path)) ?? [];
      const renamed = JSON.parse(data.replaceAll('&quot;', '"'));
      expect(renamed).toEqual({ [OLD]: NEW, [MIDDLE]: NEW, [OLD_WITH_ESCAPES]: NEW_WITH_ESCAPES });
    }
  });
});

describe('a former slug that is listed again', () => {
  test('belongs to the anime that has it', async () => {
    const { anime } = service.source.catalogue;
    const [pattern] = anime;
    anime.unshift({ ...pattern!, title: 'Anime lain', slug: MIDDLE, episode: 1 });
    await service.refreshUntil(6);
    expect(await readJson(fetch(`${service.address}/api/anime/${MIDDLE}`))).toMatchObject({
      data: { title: 'Anime lain', slug: MIDDLE },
    });
    expect(await readJson(fetch(`${service.address}/api/anime/${NEW}`))).toMatchObject({ data: { title } });
    expect((await ask(`/anime/${OLD}`)).headers.location).toBe(`/anime/${NEW}`);
  });
});
