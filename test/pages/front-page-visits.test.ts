import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { findAxeViolations, openListingSite } from '../support/listing-site.ts';
import { always } from '../support/source.ts';
import { openOnce } from '../support/until-end.ts';

/** Many looks at a page, and refreshes in between. */
const LONG_MS = 60_000;
const EVERY_SECOND = { REFRESH_CRON: '* * * * * *' };

describeInBrowser('the front page, as time goes by,', (browser) => {
  const site = openOnce((defer) => openListingSite(defer, EVERY_SECOND));

  /** What is new is said when it is known how fresh the listing is. */
  async function news(page: Page): Promise<string> {
    await page.locator('#Updated time').waitFor({ state: 'detached' });
    return page.locator('#News').innerText();
  }
  const marked = (page: Page) => page.locator('#Timeline li:has(.new) .title').allTextContents();

  /** As if the last look at the page had been so long ago. */
  const letPass = (page: Page, ms: number) =>
    page.evaluate(
      `localStorage.tayang = JSON.stringify({ ...JSON.parse(localStorage.tayang), seenAt: Date.now() - ${ms} })`,
    );

  test(
    'marks what is new since the last visit, until the next',
    async () => {
      const page = await browser.visit(site.address, { locale: 'id-ID' });
      expect(await news(page)).toBe('');
      await letPass(page, 86_400_000);
      await page.reload();
      expect(await news(page)).toBe('');
      expect(await page.getByLabel('Baru', { exact: true }).isDisabled()).toBe(true);

      const { title, slug, episode } = site.source.catalogue.airNextEpisode(new Date());
      await site.until(new RegExp(`data-slug="${slug}" data-episode="${episode}"`, 'u'));
      await letPass(page, 2 * 3_600_000);
      await page.reload();
      expect(await news(page)).toContain('1 episode baru');
      expect(await marked(page)).toEqual([title]);
      expect(await page.locator('#Timeline .new').textContent()).toBe('Baru');
      expect(await findAxeViolations(page)).toEqual([]);
      await page.getByLabel('Baru', { exact: true }).check();
      expect(await page.locator('#Timeline .rows > li:visible').count()).toBe(1);

      await page.reload();
      expect(await marked(page)).toEqual([title]);
      await letPass(page, 3_600_000);
      await page.reload();
      expect(await marked(page)).toEqual([]);
    },
    LONG_MS,
  );

  test('works without storage', async () => {
    const page = await browser.openPage(onTestFinished, { locale: 'id-ID' });
    await page.addInitScript(
      `Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })`,
    );
    await page.goto(site.address);
    await page.getByRole('searchbox').fill('koki');
    expect(await page.locator('#Timeline .rows > li:visible').count()).toBeGreaterThan(10);
    await page.locator('#Timeline .star:visible').first().click();
    expect(await page.locator('#Mine .rows > li').count()).toBe(1);
  });

  test('shows when it was checked, and that newer data exists', async () => {
    const page = await browser.visit(site.address, { locale: 'en-GB' });
    const updated = () => page.locator('#Updated').innerText();
    await expect.poll(updated, { timeout: 5_000 }).toBe('Updated just now');
    const { slug, episode } = site.source.catalogue.airNextEpisode(new Date());
    await site.until(new RegExp(`data-slug="${slug}" data-episode="${episode}"`, 'u'));
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    const status = () => page.locator('#Status').innerText();
    await expect.poll(status, { timeout: 5_000 }).toBe('There is newer data. Reload');
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect.poll(status, { timeout: 5_000 }).not.toContain('newer');
  });

  test(
    'says that it is stale and why, with and without JavaScript, until it is not',
    async () => {
      site.source.fault = always(403, '<html>Forbidden</html>');
      onTestFinished(() => {
        site.source.fault = undefined;
      });
      await site.until(/class="card trouble"/u);
      for (const javaScriptEnabled of [true, false]) {
        const page = await browser.visit(site.address, { locale: 'en-GB', javaScriptEnabled });
        const notice = page.getByRole('region', { name: 'The source site refuses access' });
        expect(await notice.innerText()).toMatch(/What you see is as of \w{3} \d+ \w{3}.+\d\d:\d\d/u);
        expect(await page.locator('#Timeline .rows > li').count()).toBeGreaterThanOrEqual(132);
        if (javaScriptEnabled) expect(await findAxeViolations(page)).toEqual([]);
      }
      site.source.fault = undefined;
      // After each failure the source is left alone for longer.
      const text = async () => (await fetch(site.address)).text();
      await expect.poll(text, { timeout: LONG_MS / 2 }).not.toContain('class="card trouble"');
    },
    LONG_MS,
  );
});
