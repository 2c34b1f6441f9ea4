import { expect, test } from 'vitest';
import { describeInBrowser, openUploadSite } from '../support/browser.ts';
import { openReadyService } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

/** The browser asks again for what it has kept for ten minutes. It tells of errors in its console by itself. */
describeInBrowser('a return after eleven minutes', (browser) => {
  const listing = openOnce((defer) => openReadyService(defer, { SERVE: 'listing,refresh' }));
  const uploads = openOnce((defer) => openUploadSite(defer));

  test.each([
    ['listing', () => listing.address],
    ['uploads', () => uploads.origin],
  ])(
    'finds the page of the %s, its styles and its scripts as they were, of the same type',
    async (_, address) => {
      const page = await browser.visit(`${address()}/?lang=id`);
      const assets = await page.evaluate<string[]>(
        `[...document.querySelectorAll('link[rel=stylesheet], script[src]')].map((one) => one.href || one.src)`,
      );
      expect(assets.length).toBeGreaterThan(2);
      for (const url of assets) {
        const { headers } = await fetch(url);
        const again = await fetch(url, { headers: { 'If-None-Match': headers.get('ETag')! } });
        expect([again.status, again.headers.get('Content-Type')]).toEqual([304, headers.get('Content-Type')]);
      }
      await page.evaluate(
        `Promise.all(${JSON.stringify(assets)}.map((url) => fetch(url, { cache: 'no-cache' })))`,
      );
      await page.reload();
      expect(await page.evaluate('getComputedStyle(document.body).margin')).toBe('0px');
    },
  );
});
