import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, openTestBrowser, type TestBrowser } from '../support/browser.ts';
import { findAxeViolations } from '../support/listing-site.ts';
import { openNewsService } from '../support/news.ts';
import { openOnce } from '../support/until-end.ts';

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };
const LONG_TITLE = `Isekai Tensei no Bouken-sha: ${'Saikyou no Ken wo Motomete '.repeat(5)}Season 2`;

describeInBrowser('the page of an anime', () => {
  let path: string;

  const browser = openOnce(openTestBrowser);
  const site = openOnce(openNewsService);

  beforeAll(async () => {
    const anime = site.source.catalogue.anime.find(({ day }) => day === 'Rabu')!;
    anime.title = LONG_TITLE;
    anime.episode += 1;
    await site.refreshUntil(1);
    path = `/anime/${anime.slug}`;
  });

  afterEach(() => expect(browser.takeTroubles()).toEqual([]));

  async function open(address: string, options: Parameters<TestBrowser['openPage']>[1] = {}): Promise<Page> {
    const page = await browser.openPage(onTestFinished, { viewport: PHONE, locale: 'id-ID', ...options });
    await page.goto(site.address + address);
    return page;
  }

  /** In the page that the tests share. */
  async function show(address: string, viewport: typeof PHONE): Promise<Page> {
    await browser.page.setViewportSize(viewport);
    await browser.page.goto(site.address + address);
    return browser.page;
  }

  test.each([
    ['id', 'light', PHONE],
    ['en', 'dark', PHONE],
    ['id', 'dark', DESKTOP],
    ['en', 'light', DESKTOP],
  ] as const)(
    'is accessible, and has nothing wider than its box (%s, %s, %o)',
    async (lang, colorScheme, viewport) => {
      const page = await show(`${path}?lang=${lang}`, viewport);
      await page.emulateMedia({ colorScheme });
      await page.locator('.star').waitFor();
      expect(await findAxeViolations(page)).toEqual([]);
      expect(await findOverflowing(page)).toEqual([]);
    },
  );

  test.each([PHONE, DESKTOP])('the front page has nothing wider than its box (%o)', async (viewport) => {
    const page = await show('/?lang=id', viewport);
    await page.locator('.star').first().waitFor();
    expect(await findOverflowing(page)).toEqual([]);
    expect(await page.getByRole('link', { name: LONG_TITLE }).count()).toBe(1);
  });

  test('is in one language, with and without JavaScript', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await open(`${path}?lang=id`, { javaScriptEnabled });
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(LONG_TITLE);
      const { episode } = site.source.catalogue.anime.find(({ title }) => title === LONG_TITLE)!;
      const text = await page.locator('main').innerText();
      expect(text).toContain(`Episode ${episode + 1}, belum rilis`);
      expect(text).toMatch(new RegExp(`Riwayat episode[\\s\\S]+Episode ${episode}\\s`, 'u'));
      for (const name of ['Kalender', 'Feed Atom']) {
        const href = await page.getByRole('link', { name }).getAttribute('href');
        expect((await fetch(site.address + href)).status).toBe(200);
      }
      const source = page.getByRole('link', { name: 'Buka di situs sumber' });
      expect(await source.getAttribute('href')).toBe(`${site.source.origin}${path}/`);
    }
  });

  test('is the target of every row of the front page', async () => {
    const page = await open('/?lang=en');
    const targets = await page
      .locator('#Timeline .rows > li')
      .evaluateAll((items) =>
        items.map((item) => (item as unknown as Queryable).querySelector('a')?.pathname),
      );
    expect(targets.length).toBeGreaterThan(131);
    expect(targets.filter((target) => !target?.startsWith('/anime/'))).toEqual([]);
    const row = page.locator('#Today .rows > li').first();
    // Beside its link, whose area is laid out only when the row has come into view.
    const beside = { position: { x: 30, y: 40 } };
    await row.hover(beside);
    await row.click(beside);
    await page.getByRole('heading', { name: 'Episode history' }).waitFor();
  });
});

interface Queryable {
  querySelector(selector: string): { pathname: string } | null;
}

/** Elements whose content is wider or higher than they show. */
async function findOverflowing(page: Page): Promise<string[]> {
  return await page.evaluate(`[...document.querySelectorAll('body, body *')]
    .filter((one) => one.checkVisibility() && getComputedStyle(one).display !== 'inline')
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
    .map((one) => one.outerHTML.slice(0, 100))`);
}
