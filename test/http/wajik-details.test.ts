import { expect, onTestFinished, test } from 'vitest';
import { renderSampleAnimePage } from '../../src/demo/anime-page.ts';
import { eventually, openTestService, readJson } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';

/** `/otakudesu/anime/SLUG` as wajik-anime-api makes it of the page of the source. */

const defer = onTestFinished;

/** The service once it has read the pages of all anime, which `rewrite` has changed. */
async function openDetails(rewrite: (html: string) => string = (html) => html) {
  const source = await openTestSource(defer, new Date());
  const { origin } = source;
  const { anime: all } = source.catalogue;
  all.splice(12);
  source.fault = ({ url = '' }, response) => {
    const slug = /^\/anime\/([^/]+)\/$/u.exec(url)?.[1];
    const anime = all.find((one) => one.slug === slug);
    if (!anime) return false;
    const page = renderSampleAnimePage(origin, anime, Date.now());
    response.writeHead(200, { 'Content-Type': 'text/html; charset=UTF-8' }).end(rewrite(page));
    return true;
  };
  const service = await openTestService(defer, { SOURCE_URLS: origin, REFRESH_DETAILS: 'on' });
  await service.ready();
  await eventually(
    async () => (await readJson(fetch(`${service.listing}/readyz`))).source.details,
    ({ missing }) => missing === 0,
  );
  const anime = all.find(({ episode }) => episode > 3)!;
  const { data } = await readJson(fetch(`${service.listing}/otakudesu/anime/${anime.slug}`));
  return { anime, origin, details: data.details };
}

test('has the episodes that the page lists, with the addresses that they have there', async () => {
  const { anime, origin, details } = await openDetails();
  const { slug, episode } = anime;
  const shown = Array.from({ length: Math.min(episode, 12) }, (_, index) => episode - index);
  expect(details.episodeList).toEqual(
    shown.map((number) => ({
      title: String(number),
      episodeId: `${slug}-episode-${number}`,
      href: `/otakudesu/episode/${slug}-episode-${number}`,
      otakudesuUrl: `${origin}/episode/${slug}-episode-${number}/`,
    })),
  );
  expect(details).toMatchObject({ title: anime.title, type: 'TV', batch: null });
  expect(details.genreList.length).toBeGreaterThan(0);
  for (const { title, genreId, otakudesuUrl } of details.genreList) {
    expect(genreId).toBe(title.toLowerCase());
    expect(otakudesuUrl).toBe(`${origin}/genres/${genreId}/`);
  }
});

test('has its texts as they are there, also those that mean nothing to this service', async () => {
  const printed: Record<string, string> = {
    Judul: 'Judul di halaman',
    Japanese: '見本 (TV)',
    Skor: '7,5 / 10',
    Produser: 'Rimba , Awan,Ltd.',
    Tipe: 'TV (Spesial)',
    Status: 'Drop',
    'Total Episode': '?',
    Durasi: '23 min. per ep.',
    'Tanggal Rilis': 'Oktober 2025 ~',
    Studio: 'A-1 Pictures & Co',
  };
  const { details } = await openDetails((html) =>
    Object.entries(printed).reduce(
      (page, [label, value]) =>
        page.replace(new RegExp(`(<b>${label}</b>: )[^<]*`, 'u'), `$1${value.replace('&', '&amp;')}`),
      html,
    ),
  );
  expect(details).toMatchObject({
    title: printed.Judul,
    japanese: printed.Japanese,
    score: printed.Skor,
    producers: printed.Produser,
    type: printed.Tipe,
    status: printed.Status,
    episodes: printed['Total Episode'],
    duration: printed.Durasi,
    aired: printed['Tanggal Rilis'],
    studios: printed.Studio,
  });
});

test('has rows without a number by their whole text, the batch, and no link to elsewhere', async () => {
  const row = (href: string, text: string) =>
    `<li><span><a href="${href}">${text}</a></span><span class='zeebr'>1 Oktober,2025</span></li>`;
  const { origin, details } = await openDetails((html) =>
    html
      .replace(/(Batch<\/span><\/div><ul>)/u, `$1${row('/batch/judul-batch/', 'Judul Batch')}`)
      .replace(
        /(Episode List<\/span><\/div><ul>)/u,
        `$1${row('/episode/judul-sp/', 'Judul Special')}${row('javascript:void(0)', 'Iklan')}`,
      ),
  );
  expect(details.batch).toEqual({
    title: 'Judul Batch',
    batchId: 'judul-batch',
    href: '/otakudesu/batch/judul-batch',
    otakudesuUrl: `${origin}/batch/judul-batch/`,
  });
  const titles = details.episodeList.map(({ title }: { title: string }) => title);
  expect(titles[0]).toBe('Judul Special');
  expect(titles).not.toContain('Iklan');
});
