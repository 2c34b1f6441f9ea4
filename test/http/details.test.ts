import { describe, expect, test } from 'vitest';
import { eventually, openReadyService, readJson } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

/** The sample site has a page for each anime, most of them weekly. Their pages are read after the first crawl. */
const service = openOnce(async (defer) => {
  const opened = await openReadyService(defer, { REFRESH_DETAILS: 'on' }, undefined, new Date());
  await eventually(
    async () => (await readJson(fetch(`${opened.listing}/readyz`))).source.details,
    ({ known, missing }) => known > 100 && missing === 0,
  );
  return opened;
});
const get = (path: string) => fetch(service.listing + path);

describe('on the first day', () => {
  test('every page was read, without trouble of the source', async () => {
    const { source } = await readJson(get('/readyz'));
    expect(source).toMatchObject({ state: 'ok', details: { known: 132, missing: 0, failed: 0 } });
  });

  test('an anime has its details, the second of its newest episode, and the days of those before', async () => {
    const anime = service.source.catalogue.anime.find(({ episode }) => episode > 3)!;
    const { data } = await readJson(get(`/api/anime/${anime.slug}`));
    expect(data.details).toMatchObject({
      ...{ japanese: expect.stringMatching(/^見本/u), type: 'TV', status: 'ongoing', minutes: 24 },
      ...{
        startedOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/u),
        producers: ['Penerbit Rimba', 'Awan Media'],
      },
    });
    expect(data.episodes[0]).toEqual({
      episode: anime.episode,
      seenAt: null,
      releasedAt: expect.stringMatching(/T\d\d:\d\d:\d\d\.000Z$/u),
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/u),
    });
    expect(data.episodes[1]).toMatchObject({ episode: anime.episode - 1, releasedAt: null });
  });

  test('nine of ten airing weekly anime have an expected time', async () => {
    const airing = service.source.catalogue.anime.slice(0, 60).filter(({ episode }) => episode >= 3);
    const nexts = await Promise.all(
      airing.map(async ({ slug }) => (await readJson(get(`/api/anime/${slug}`))).data.next),
    );
    expect(nexts.filter(Boolean).length).toBeGreaterThanOrEqual(airing.length * 0.9);
    const { data } = await readJson(get('/api/anime/upcoming'));
    expect(data.length).toBeGreaterThan(airing.length / 2);
  });

  test('the page of an anime shows them', async () => {
    const anime = service.source.catalogue.anime.find(({ episode }) => episode > 3)!;
    const page = await (await get(`/anime/${anime.slug}?lang=id`)).text();
    for (const text of ['Judul Jepang', 'Tayang sejak', 'Penerbit Rimba', 'Sinopsis', '24 menit'])
      expect(page).toContain(text);
  });
});
