import type { Page } from 'playwright-core';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, openTestBrowser, saidOf, type TestBrowser } from '../support/browser.ts';
import { findAxeViolations, openListingSite } from '../support/listing-site.ts';
import { openOnce } from '../support/until-end.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };
const NARROWEST = { width: 320, height: 640 };
/** Of everything that the front page loads from its own origin, as it is sent. */
const BUDGET = 40_000;

describeInBrowser('the front page', () => {
  const browser = openOnce(openTestBrowser);
  const site = openOnce(openListingSite);

  afterEach(() => expect(browser.takeTroubles()).toEqual([]));

  const titlesIn = (page: Page) => page.locator('#Timeline .rows > li:visible .title').allTextContents();
  const shownIn = async (page: Page) => new Set(await titlesIn(page));

  async function open(path = '/', options: Parameters<TestBrowser['openPage']>[1] = {}): Promise<Page> {
    const page = await browser.openPage(onTestFinished, { locale: 'id-ID', ...options });
    await page.goto(site.address + path);
    return page;
  }

  describe('is accessible:', () => {
    const VISITORS = [
      ...(['id', 'en'] as const).flatMap((lang) =>
        (['light', 'dark'] as const).flatMap((theme) => [[lang, theme, PHONE] as const]),
      ),
      ['id', 'light', DESKTOP] as const,
    ];

    test.each(VISITORS)('axe finds no problem (%s, %s, %o)', async (lang, colorScheme, viewport) => {
      const page = await open(`/?lang=${lang}`, { colorScheme, viewport });
      await page.locator('#Updated time').waitFor({ state: 'detached' });
      expect(await findAxeViolations(page)).toEqual([]);
    });

    test('axe finds a problem that was put in', async () => {
      const page = await open();
      await page.evaluate('document.querySelector("#OnlyNew").parentElement.lastChild.remove()');
      expect(await findAxeViolations(page)).toEqual([expect.stringMatching(/^label: /u)]);
    });

    test('axe finds no problem on the page of an error, which is there in the other language, too', async () => {
      const page = await open('/api/anime/home?page=99');
      expect(await findAxeViolations(page)).toEqual([]);
      await page.getByRole('link', { name: 'English' }).click();
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      expect(page.url()).toBe(`${site.address}/api/anime/home?page=99&lang=en`);
      await page.getByRole('link', { name: 'Bahasa Indonesia' }).click();
      await page.getByRole('link', { name: 'Ke beranda' }).click();
      await page.getByRole('heading', { level: 1, name: 'Jadwal anime pekan ini' }).waitFor();
      expect(browser.takeTroubles()).toEqual([saidOf(404), saidOf(404), saidOf(404)]);
    });

    test('it fits the narrowest phone', async () => {
      const page = await open('/', { viewport: NARROWEST });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROWEST.width);
    });
  });

  describe('filters the list while the user types', () => {
    test('by title, whatever the case, the accents and the order of the words', async () => {
      const page = await open();
      const search = page.getByRole('searchbox', { name: 'Cari judul' });
      await search.pressSequentially('ubermorgen NAGA');
      expect(await shownIn(page)).toEqual(new Set(['Naga Kecil Übermorgen']));
      await search.fill('');
      expect((await shownIn(page)).size).toBe(132);
    });

    test('shows a filtered anime again when an address leads to it', async () => {
      const page = await open();
      await page.getByRole('searchbox').fill('zzz');
      const { slug = '' } = site.source.catalogue.anime[9] ?? {};
      await page.evaluate(`location.hash = ${JSON.stringify(slug)}`);
      expect(await page.locator('.rows li:target').getAttribute('id')).toBe(slug);
      expect(await page.locator('.rows li:target').isVisible()).toBe(true);
    });
  });

  test('has the language of the browser, and another one after a choice', async () => {
    const page = await open('/', { locale: 'en-GB' });
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.getByRole('link', { name: 'Bahasa Indonesia' }).click();
    await page.getByRole('heading', { name: 'Pekan ini', exact: true }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('id');
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'This week', exact: true }).waitFor();
  });

  test('requests only its own origin, and covers of the source without a referrer', async () => {
    const page = await browser.openPage(onTestFinished, {});
    const asked: { origin: string; path: string; referrer: string | undefined }[] = [];
    page.on('request', (request) => {
      const { origin, pathname, protocol } = new URL(request.url());
      if (protocol !== 'data:') asked.push({ origin, path: pathname, referrer: request.headers().referer });
    });
    await page.goto(site.address);
    const elsewhere = () => asked.filter(({ origin }) => origin !== site.address);
    await expect.poll(() => elsewhere().length).toBeGreaterThan(3);
    await page.waitForLoadState('networkidle');
    for (const { origin, path, referrer } of elsewhere()) {
      expect([origin, referrer || undefined]).toEqual([site.source.origin, undefined]);
      expect(path).toMatch(/^\/wp-content\/uploads\//u);
    }
  });

  test('transfers less than 40 KB of its own', async () => {
    const page = await open();
    const own = await page.evaluate<{ name: string; sent: number }[]>(
      `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .filter(({ name }) => name.startsWith(location.origin) && !name.includes('/api/') && !name.includes('/readyz'))
        .map(({ name, encodedBodySize: sent }) => ({ name, sent }))`,
    );
    expect(own.map(({ name }) => new URL(name).pathname).toSorted()).toEqual([
      ...['/', '/assets/before-paint.js', '/assets/clock.js', '/assets/front-page.js', '/assets/language.js'],
      ...['/assets/listing.css', '/assets/my-anime.js', '/assets/style.css'],
    ]);
    const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);
    expect(Math.min(...own.map(({ sent }) => sent))).toBeGreaterThan(0);
    expect(sum(own.map(({ sent }) => sent))).toBeLessThan(BUDGET);
  });

  test('has no broken link', async () => {
    const page = await open();
    const links = await page
      .locator('a[href], link[href]')
      .evaluateAll((all) => all.map((one) => (one as unknown as { href: string }).href));
    const own = [...new Set(links.map((href) => URL.parse(href)!))].filter(
      ({ protocol }) => protocol === 'http:',
    );
    expect(own.length).toBeGreaterThan(5);
    for (const { pathname, search } of own)
      expect([pathname, (await fetch(site.address + pathname + search)).status]).toEqual([pathname, 200]);
  });
});
