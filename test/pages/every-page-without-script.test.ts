import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { findLayoutFaults } from '../support/layout-faults.ts';
import { openPageSite } from '../support/page-site.ts';
import { PAGES, type PageSite, WIDTHS } from './every-page.ts';

const AT_ONCE = PAGES.filter(({ reach }) => !reach);

describeInBrowser('every page without JavaScript', (browser) => {
  let site: PageSite;
  let page: Page;

  // The status of an error is one, and some states need them.
  afterEach(() => void browser.takeTroubles());

  beforeAll(async () => {
    site = await openPageSite(afterAll);
    page = await browser.openPage(afterAll, { javaScriptEnabled: false });
  });

  test.each(AT_ONCE)('$name is complete', async ({ address }) => {
    await page.goto(await address(site));
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    for (const viewport of Object.values(WIDTHS)) {
      await page.setViewportSize(viewport);
      expect(await findLayoutFaults(page)).toEqual([]);
    }
  });
});
