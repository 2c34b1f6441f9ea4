import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { openNewsService } from '../support/news.ts';
import { findAxeViolations } from '../support/page-rules.ts';
import { openOnce } from '../support/until-end.ts';

const PHONE = { width: 360, height: 740 };

describeInBrowser('the own anime', (browser) => {
  const site = openOnce(openNewsService);

  const open = (path = '/?lang=id') =>
    browser.visit(site.address + path, { locale: 'id-ID', viewport: PHONE });

  const anime = (place: number) => site.source.catalogue.anime[place]!;
  const star = (page: Page, place: number) =>
    page.locator(`#Timeline [data-slug="${anime(place).slug}"] .star`).first();
  const mine = (page: Page) => page.locator('#Mine .title').allInnerTexts();

  test('are followed by their stars, come first, and have a calendar of their own', async () => {
    const page = await open();
    await page.getByText('Ketuk ☆').waitFor();
    for (const place of [2, 5]) await star(page, place).click();
    expect(await star(page, 2).getAttribute('aria-pressed')).toBe('true');
    await page.reload();
    expect((await mine(page)).toSorted()).toEqual([anime(2).title, anime(5).title].toSorted());
    const isFirst =
      "document.querySelector('#Mine').compareDocumentPosition(document.querySelector('#Timeline')) & 4";
    expect(await page.evaluate(isFirst)).toBe(4);
    const calendar = await page.locator('#MineCalendar').getAttribute('href');
    expect(calendar).toBe(`/feeds/schedule.ics?slug=${anime(2).slug}&slug=${anime(5).slug}`);
    await page.getByLabel('Anime saya', { exact: true }).check();
    const shown = await page.locator('#Timeline .rows > li:visible .title').allTextContents();
    expect(new Set(shown)).toEqual(new Set([anime(2).title, anime(5).title]));
    expect(await findAxeViolations(page)).toEqual([]);
    await page.locator(`#Mine [data-slug="${anime(2).slug}"] .star`).click();
    expect(await mine(page)).toEqual([anime(5).title]);
  });

  test('are in the fragment of a link, and are followed only after a confirmation', async () => {
    const slugs = [anime(1).slug, anime(3).slug].join(',');
    const page = await open(`/?lang=id#mine=${slugs},<script>,${anime(1).slug.toUpperCase()}`);
    expect(await mine(page)).toEqual([]);
    await page.getByRole('button', { name: 'Ikuti 2 anime dari tautan ini' }).click();
    expect((await mine(page)).toSorted()).toEqual([anime(1).title, anime(3).title].toSorted());
    expect(page.url()).not.toContain('#');
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: async (text) => { window.copied = text; } } })`);
    await page.getByRole('button', { name: 'Salin tautan' }).click();
    await page.getByRole('button', { name: 'Tautan disalin' }).waitFor();
    expect(await page.evaluate('copied')).toBe(`${site.address}/?lang=id#mine=${slugs}`);
  });

  test('show a new episode while the page is open', async () => {
    const page = await open();
    await Promise.all([page.waitForResponse('**/api/anime/events/stream'), star(page, 4).click()]);
    const { title, episode } = site.airEpisode(4);
    await site.refreshUntil(1);
    const row = page.locator('#Mine li', { hasText: title });
    await row.getByText(`Ep ${episode}`).waitFor();
    const released = page.locator('#Timeline li.out', { hasText: title });
    await released.scrollIntoViewIfNeeded();
    for (const one of [row, released]) {
      expect(await one.locator('.new').innerText()).toBe('Baru');
      expect(await one.locator('.hour time').innerText()).toMatch(/^(\w{3} )?\d\d\.\d\d$/u);
      expect(await one.locator('p').innerText()).toMatch(
        new RegExp(`^Ep ${episode}(/\\d+)? · sudah rilis$`, 'u'),
      );
    }
    expect(await page.locator('#Status').innerText()).toContain('Ada data yang lebih baru.');
  });

  test('are followed on their own pages, too', async () => {
    const page = await open(`/anime/${anime(7).slug}?lang=id`);
    await page.getByRole('button', { name: 'Ikuti' }).click();
    await page.getByRole('link', { name: 'Tayang' }).click();
    await page.locator('#Mine .title').waitFor();
    expect(await mine(page)).toEqual([anime(7).title]);
  });

  test('the tabs and the search stay in view, and lead to their parts', async () => {
    const page = await open();
    for (const [name, part] of [
      ['Lainnya', '#Others'],
      ['Pekan ini', '#Week'],
      ['Saya', '#Mine'],
    ] as const) {
      const tab = page.getByRole('navigation').getByRole('link', { name, exact: true });
      await tab.click();
      await expect.poll(() => tab.getAttribute('aria-current'), { timeout: 5_000 }).toBe('true');
      expect((await tab.boundingBox())!.y).toBeLessThan(5);
      expect((await page.locator(part).boundingBox())!.y).toBeLessThan(PHONE.height);
    }
    await page.getByRole('link', { name: 'Cari', exact: true }).click();
    expect(await page.evaluate('document.activeElement.id')).toBe('Query');
    expect((await page.locator('#Query').boundingBox())!.y).toBeLessThan(PHONE.height / 2);
  });
});
