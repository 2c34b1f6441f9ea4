import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { openHttpServer } from '../support/http-server.ts';
import { openNewsService } from '../support/news.ts';
import { openOnce } from '../support/until-end.ts';

/** The source corrects the slugs of anime that browsers follow. */
describeInBrowser('a corrected slug', (browser) => {
  const site = openOnce(openNewsService);
  let events = 0;

  const anime = (place: number) => site.source.catalogue.anime[place]!;
  const followed = (page: Page) => page.evaluate<string[]>(`JSON.parse(localStorage['tayang-followed'])`);
  const mine = (page: Page) => page.locator('#Mine .title').allTextContents();

  /** Corrects the slug of the anime at this place, and resolves with the former one. */
  async function correct(place: number): Promise<string> {
    const { slug } = anime(place);
    anime(place).slug = `benar-${slug}`;
    events += 1;
    await site.refreshUntil(events);
    return slug;
  }

  async function open(path = '/?lang=id', slugs: string[] = [], kept: object = {}) {
    const page = await browser.openPage(onTestFinished, { locale: 'id-ID' });
    const values = { 'tayang-followed': slugs, ...kept };
    await page.goto(`${site.address}/robots.txt`);
    await page.evaluate(
      `Object.assign(localStorage, ${JSON.stringify(
        Object.fromEntries(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)])),
      )})`,
    );
    await page.goto(site.address + path);
    return page;
  }

  test('is followed in the place of the former one from the next visit on', async () => {
    const [first, last] = [anime(2).slug, anime(4).slug];
    const before = anime(3);
    const hourAgo = Date.now() - 3_600_000;
    const seen = Object.fromEntries(site.source.catalogue.anime.map(({ slug, episode }) => [slug, episode]));
    const former = await correct(3);
    const page = await open('/?lang=id', [first, former, last], {
      tayang: { seen, seenAt: hourAgo, before: seen, beforeAt: hourAgo },
    });
    await page.locator('#MineTab').click();
    expect(await mine(page)).toContain(before.title);
    expect(await followed(page)).toEqual([first, anime(3).slug, last]);
    const star = page.locator(`#Timeline [data-star="${anime(3).slug}"]`).first();
    expect(await star.getAttribute('aria-pressed')).toBe('true');
    // Its newest episode was seen by its former slug.
    expect(await page.locator('#Unwatched li').count()).toBe(0);
  });

  test('is followed once by somebody who followed both', async () => {
    const former = await correct(5);
    const page = await open(`/anime/${anime(9).slug}?lang=id`, [former, anime(6).slug, anime(5).slug]);
    await expect.poll(() => followed(page)).toEqual([anime(5).slug, anime(6).slug]);
  });

  test('is found by shared lists, old links and bookmarks with the former one', async () => {
    const { title } = anime(7);
    const former = await correct(7);
    const page = await open(`/?lang=id#mine=${former},${anime(8).slug}`);
    await page.getByRole('button', { name: 'Ikuti 2 anime dari link ini' }).click();
    expect(await followed(page)).toEqual([anime(7).slug, anime(8).slug]);
    await page.goto(`${site.address}/anime/${former}?lang=en`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(page.url()).toBe(`${site.address}/anime/${anime(7).slug}?lang=en`);
    await page.getByRole('button', { name: 'Following' }).waitFor();
    await page.goto(`${site.address}/?lang=id#${former}`);
    await page.locator(`[id="${anime(7).slug}"]`).waitFor({ state: 'visible' });
  });

  test('offers a reload where the page is open', async () => {
    const page = await open('/?lang=id', [anime(10).slug]);
    await page.waitForFunction(
      `performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/readyz'))`,
    );
    await page.getByText(/^Diperbarui/u).waitFor();
    await correct(11);
    await page.getByText('Ada yang baru.').waitFor();
  });

  test('has its page kept in the place of the former one, which opens it offline', async () => {
    const { title } = anime(12);
    const page = await browser.openPage(onTestFinished, { locale: 'id-ID' });
    let isOffline = false;
    const proxy = await openHttpServer(onTestFinished, async (request, response) => {
      if (isOffline) return void request.socket.destroy();
      const answer = await fetch(site.address + request.url, { redirect: 'manual' });
      const names = ['content-type', 'date', 'content-security-policy', 'location'];
      const headers = [...answer.headers].filter(([name]) => names.includes(name));
      response.writeHead(answer.status, Object.fromEntries(headers)).end(await answer.bytes());
    });
    const address = proxy.replace('127.0.0.1', 'localhost');
    const isKept = (slug: string) =>
      page.evaluate(`caches.match('/anime/${slug}?lang=id').then((kept) =>
      kept ? kept.text().then((text) => /<h1>(.*?)<\\/h1>/.exec(text)[1] + / data-slug="(.*?)"/.exec(text)[1]) : '')`);
    await page.goto(`${address}/?lang=id`);
    await page
      .locator(`#Timeline [data-star="${anime(12).slug}"]`)
      .first()
      .dispatchEvent('click');
    await page.goto(`${address}/anime/${anime(12).slug}?lang=id`);
    await expect.poll(() => isKept(anime(12).slug)).toContain(title);
    await page.evaluate('navigator.serviceWorker.ready');
    const former = await correct(12);
    await page.goto(`${address}/?lang=id`);
    for (const slug of [anime(12).slug, former])
      await expect.poll(() => isKept(slug)).toBe(title + anime(12).slug);
    isOffline = true;
    for (const slug of [anime(12).slug, former]) {
      await page.goto(`${address}/anime/${slug}?lang=id`);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page.getByText(/^Kamu sedang offline\. /u).waitFor();
    }
    browser.takeTroubles();
  });
});
