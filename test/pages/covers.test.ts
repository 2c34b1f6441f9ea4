import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { openPageSite, type PageSite } from '../support/page-site.ts';
import { untilEnd } from '../support/until-end.ts';
import { visit } from './every-page.ts';
import { LISTING_PAGES } from './listing-pages.ts';

describeInBrowser('the covers of the pages', (browser) => {
  const defer = untilEnd();
  let site: PageSite;

  beforeAll(async () => {
    site = await openPageSite(defer);
  });

  test('and everything else that a page of the listing loads come from its own origin', async () => {
    const page = await browser.openPage(defer, { viewport: { width: 360, height: 740 } });
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    // Each situation has an origin of its own.
    const own = new Set<string>();
    const listing: PageSite['listing'] = async (situation) => {
      const origin = await site.listing(situation);
      own.add(origin);
      return origin;
    };
    for (const one of LISTING_PAGES) {
      requested.length = 0;
      await visit(page, { ...site, listing }, one, 'id');
      const foreign = requested.filter((url) => !own.has(new URL(url).origin) && !url.startsWith('data:'));
      expect(foreign, one.name).toEqual([]);
    }
    browser.takeTroubles();
  });

  test('are there, have their size before they are loaded, and move nothing', async () => {
    const page = await browser.openPage(defer, { viewport: { width: 360, height: 740 } });
    await page.addInitScript(`window.shifts = [];
      new PerformanceObserver((list) => shifts.push(
        ...list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput).map(({ value }) => value)))
        .observe({ type: 'layout-shift', buffered: true });`);
    for (const one of LISTING_PAGES.filter(({ name }) => name === 'front' || name === 'anime')) {
      await visit(page, site, one, 'id');
      const images = page.locator('.cover img');
      await images.first().waitFor();
      await expect
        .poll(() => images.first().evaluate((image) => 'naturalWidth' in image && image.naturalWidth))
        .toBe(160);
      const sizes = await images.evaluateAll((all) =>
        all.map((image) => [image.getAttribute('width'), image.getAttribute('height')].join('x')),
      );
      expect(new Set(sizes)).toEqual(new Set(['160x226']));
      const shift = await page.evaluate('shifts.reduce((sum, one) => sum + one, 0)');
      expect(shift, one.name).toBeLessThan(0.1);
    }
  });
});
