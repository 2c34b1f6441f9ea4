import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../src/pages/i18n/translations.ts';
import { describeInBrowser, openTestBrowser } from '../support/browser.ts';
import { findLayoutFaults } from '../support/layout-faults.ts';
import { findBarriers } from '../support/listing-site.ts';
import { openPageSite } from '../support/page-site.ts';
import { PAGES, type PageSite, visit, WIDTHS } from './every-page.ts';

describeInBrowser('every page, in both languages, on a phone and on a desktop', () => {
  let site: PageSite;
  let page: Page;
  let withoutScript: Page;

  beforeAll(async () => {
    const browser = await openTestBrowser(afterAll);
    site = await openPageSite(afterAll);
    page = browser.page;
    withoutScript = await browser.openPage(afterAll, { javaScriptEnabled: false });
  });

  describe.each(PAGES)('$name', (one) => {
    test.each(LANGUAGES)('is in one language, fits its window and has no barrier: %s', async (language) => {
      const response = await visit(page, site, one, language);
      expect(response?.status()).toBe(one.status ?? 200);
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      expect(await page.locator('main [lang]:not(a)').count()).toBe(0);
      for (const viewport of Object.values(WIDTHS)) {
        await page.setViewportSize(viewport);
        expect(await findLayoutFaults(page)).toEqual([]);
      }
      expect(await findBarriers(page)).toEqual([]);
    });
  });

  const atOnce = PAGES.filter(({ reach }) => !reach);
  test.each(atOnce)('$name is complete without JavaScript', async ({ address }) => {
    await withoutScript.goto(await address(site));
    expect(await withoutScript.getByRole('heading', { level: 1 }).count()).toBe(1);
    for (const viewport of Object.values(WIDTHS)) {
      await withoutScript.setViewportSize(viewport);
      expect(await findLayoutFaults(withoutScript)).toEqual([]);
    }
  });
});
