import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { prepareListings } from '../support/fixed-listing.ts';
import { findAxeViolations } from '../support/page-rules.ts';
import { readJson } from '../support/service.ts';
import { FIRST_IDS, SHOWN_AT } from '../support/situations.ts';

/** Two anime of the listing, and one that it does not have, each with two episodes that were not watched. */
interface Listed {
  slug: string;
  title: string;
  episode: number;
}

describeInBrowser('a list of another site', (browser) => {
  let address: string;
  let first: Listed;
  let second: Listed;

  beforeAll(async () => {
    address = await (await prepareListings(afterAll))('notifying');
    const { data } = await readJson(fetch(`${address}/api/anime`));
    const { ids, ...anime } = data.ongoing[5];
    expect(ids).toEqual({ anilist: FIRST_IDS.anilist + 5, mal: FIRST_IDS.mal + 5 });
    [first, second] = [anime, data.ongoing[6]];
  });

  /** A visitor who follows nothing, at the place where a list can be taken over. */
  async function open() {
    const page = await browser.openPage(onTestFinished, { locale: 'id-ID', timezoneId: 'Asia/Jakarta' });
    await page.clock.setFixedTime(SHOWN_AT);
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'GET' || sent.push(request.url()));
    await page.goto(`${address}/?lang=id`);
    await page.locator('#MineTab').dispatchEvent('click');
    await page.getByText('Bawa daftarmu dari MyAnimeList atau AniList').click();
    return { page, sent };
  }

  const choose = (page: Page, name: string, buffer: Buffer) =>
    page.getByLabel('Pilih file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  const kept = (page: Page) =>
    page.evaluate(
      `[JSON.parse(localStorage['tayang-followed']), JSON.parse(localStorage['tayang-watched'])]`,
    );

  /** What both lists say: the one by its number, the other by its title; a finished one is none of them. */
  const expected = () => [
    [first.slug, second.slug],
    { [first.slug]: first.episode - 1, [second.slug]: second.episode },
  ];

  const entry = (id: number, title: string, watched: number, status = 'Watching') => `<anime>
<series_animedb_id>${id}</series_animedb_id><series_title><![CDATA[${title}]]></series_title>
<my_watched_episodes>${watched}</my_watched_episodes><my_status>${status}</my_status></anime>`;
  const myAnimeList = () =>
    Buffer.from(`<?xml version="1.0" encoding="UTF-8" ?><myanimelist><myinfo></myinfo>
${entry(FIRST_IDS.mal + 5, 'Another name', first.episode - 1)}
${entry(999_999, `${second.title.toUpperCase()}!`, second.episode)}
${entry(FIRST_IDS.mal + 7, 'Seen', 3, 'Completed')}
${entry(1, 'Anime Lama & Lainnya', 20)}
</myanimelist>`);

  const media = (id: number, romaji: string, progress: number, status = 'CURRENT') => ({
    status,
    progress,
    media: { id, idMal: null, title: { romaji, english: null, native: null } },
  });
  const aniList = () => ({
    data: {
      MediaListCollection: {
        lists: [
          { name: 'Watching', entries: [media(FIRST_IDS.anilist + 5, 'Another name', first.episode - 1)] },
          {
            name: 'My own',
            entries: [
              media(FIRST_IDS.anilist + 5, 'Another name', first.episode - 1),
              media(7, second.title, second.episode, 'REPEATING'),
              media(FIRST_IDS.anilist + 8, 'Planned', 0, 'PLANNING'),
              media(8, 'Anime Lama & Lainnya', 20),
            ],
          },
        ],
      },
    },
  });

  test.each([
    ['of MyAnimeList', 'list.xml', () => myAnimeList()],
    ['of MyAnimeList, packed', 'list.xml.gz', () => gzipSync(myAnimeList())],
    ['of AniList', 'list.json', () => Buffer.from(JSON.stringify(aniList()))],
  ])(
    '%s is taken over with what was watched, and what is not found is named',
    async (_name, name, content) => {
      const { page, sent } = await open();
      await choose(page, name, content());
      await page.getByText('2 anime masuk ke daftarmu.').waitFor();
      expect(await page.locator('#TakeOver li').allInnerTexts()).toEqual(['Anime Lama & Lainnya']);
      expect(await kept(page)).toEqual(expected());
      expect(await page.locator('#Unwatched li').innerText()).toContain(`Ep ${first.episode}`);
      expect(sent).toEqual([]);
      expect(await findAxeViolations(page)).toEqual([]);
      await choose(page, name, content());
      await page.getByText('sudah ada di daftarmu').waitFor();
    },
  );

  test('that is the data of an account of AniList is taken over by its numbers', async () => {
    const { page } = await open();
    const lists = [
      { series_type: 0, series_id: FIRST_IDS.anilist + 5, status: 0, progress: 1 },
      { series_type: 1, series_id: FIRST_IDS.anilist + 6, status: 0, progress: 1 },
      { series_type: 0, series_id: FIRST_IDS.anilist + 7, status: 2, progress: 1 },
    ];
    await choose(page, 'data.json', Buffer.from(JSON.stringify({ user: { id: 1 }, lists })));
    await page.getByText('1 anime masuk ke daftarmu.').waitFor();
    expect(await kept(page)).toEqual([[first.slug], { [first.slug]: 1 }]);
  });

  test.each([
    ['another file', Buffer.from('%PDF-1.7'), 'File ini tidak bisa dibaca.'],
    ['another XML', Buffer.from('<html></html>'), 'File ini tidak bisa dibaca.'],
    ['a list of finished anime', Buffer.from('{"lists":[]}'), 'Tidak ada anime yang sedang kamu tonton'],
  ])('that is %s changes nothing', async (_name, content, text) => {
    const { page } = await open();
    await choose(page, 'file', content);
    await page.getByText(text).waitFor();
    expect(await page.evaluate(`localStorage['tayang-followed']`)).toBeUndefined();
  });

  test('is not asked for where no calendar gives the numbers of anime', async () => {
    const usual = await (await prepareListings(onTestFinished))('usual');
    expect(await (await fetch(`${usual}/?lang=id`)).text()).not.toContain('TakeOver');
  });
});

describeInBrowser('an anime whose broadcast is on a break', (browser) => {
  test('has a row that says so on its usual day, with the day on which it goes on', async () => {
    const address = await (await prepareListings(onTestFinished))('notifying');
    const page = await browser.visit(`${address}/?lang=id#Day-2026-11-24`, { timezoneId: 'Asia/Jakarta' });
    const row = page.locator('#Day-2026-11-24 .paused');
    expect(await row.locator('.when').textContent()).toBe('Libur, lanjut Selasa, 1 Des');
    expect(await page.locator('#Day-2026-11-24 .group').last().innerText()).toBe('Libur');
    await row.getByRole('link').click();
    await page.getByText('Sedang libur: Selasa, 24 Nov tidak ada episode.').waitFor();
    await page.getByText(/^Lanjut Selasa, 1 Des, sekitar /u).waitFor();
  });
});
