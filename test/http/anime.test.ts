import { describe, expect, test } from 'vitest';
import { openNewsService } from '../support/news.ts';
import { readJson } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.address + path, { headers });

const service = openOnce(openNewsService);

const first = () => service.source.catalogue.anime[0]!;
const withEscapes = () => service.source.catalogue.anime.find(({ slug }) => slug.includes('%'))!;

describe('an anime', () => {
  test.each(['/api/anime/', '/anime/'])(
    'is found by its slug, however its escapes are written (%s)',
    async (prefix) => {
      const { slug } = withEscapes();
      for (const asked of [slug, slug.replaceAll('%e2%88%9e', '%E2%88%9E')]) {
        expect([asked, (await get(prefix + asked)).status]).toEqual([asked, 200]);
      }
    },
  );

  test.each([
    ...[
      '/api/anime/entah',
      '/anime/entah',
      '/anime/schedule',
      '/anime/home',
      '/anime/events',
      '/anime/upcoming',
      '/anime/releases',
    ],
    ...['/api/anime/%zz', '/anime/%zz', '/api/anime/', '/anime/', '/anime', '/anime/a/b'],
  ])('is not found at %s', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toMatchObject({ status: false });
  });

  test('has a page in the requested language', async () => {
    const path = `/anime/${first().slug}`;
    const languageOf = async (address: string, accept: string) =>
      (await get(address, { 'accept-language': accept })).headers.get('content-language');
    expect(await languageOf(path, 'en')).toBe('en');
    expect(await languageOf(`${path}?lang=id`, 'en')).toBe('id');
    expect((await get(path)).headers.get('vary')).toBe('Accept-Language, Accept-Encoding');
  });
});

describe('the calendar of several anime', () => {
  const scheduled = () =>
    service.source.catalogue.anime.filter(({ day }) => day !== 'None' && day !== 'Random');
  const calendarOf = (slugs: readonly string[]) =>
    get(`/feeds/schedule.ics?${slugs.map((slug) => `slug=${slug}`).join('&')}`);
  const summaries = (text: string) =>
    [...text.matchAll(/^SUMMARY:(.+)$/gmu)].map(([, title]) => title?.trim());

  test('has only these anime, without those that are not known', async () => {
    const [one, two] = scheduled();
    const response = await calendarOf([one!.slug, 'entah', two!.slug, one!.slug]);
    expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    const text = await response.text();
    expect(new Set(summaries(text)).size).toBe(4);
    expect(text.match(/BEGIN:VCALENDAR\r\n/gu)).toHaveLength(1);
    expect(text.endsWith('END:VEVENT\r\nEND:VCALENDAR\r\n')).toBe(true);
    const again = await get(new URL(response.url).pathname + new URL(response.url).search, {
      'if-none-match': response.headers.get('etag') ?? '',
    });
    expect(again.status).toBe(304);
  });

  test('accepts slugs with escapes', async () => {
    const [anime] = scheduled().filter(({ slug }) => slug.includes('%'));
    expect((await calendarOf([anime!.slug])).status).toBe(200);
    expect((await get(`/feeds/episodes.atom?slug=${anime!.slug}`)).status).toBe(200);
  });

  test('accepts up to fifty slugs', async () => {
    const slugs = Array.from({ length: 51 }, (_, index) => `anime-${index}`);
    expect((await calendarOf([scheduled()[0]!.slug, ...slugs.slice(2)])).status).toBe(200);
    const refused = await calendarOf(slugs);
    expect([refused.status, (await readJson(refused)).message]).toEqual([
      400,
      'slug may be given up to 50 times',
    ]);
    expect((await calendarOf(slugs.slice(1))).status).toBe(404);
  });
});
