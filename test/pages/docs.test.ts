import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openTestBrowser, type TestBrowser } from '../support/browser.ts';
import { findAxeViolations, type ListingSite, openListingSite } from '../support/listing-site.ts';

describeInBrowser('the page of the API', () => {
  let browser: TestBrowser;
  let site: ListingSite;

  beforeAll(async () => {
    browser = await openTestBrowser(afterAll);
    site = await openListingSite(afterAll);
  });

  test.each(['light', 'dark'] as const)(
    'is accessible on a phone, and has no script (%s)',
    async (colorScheme) => {
      const { page } = browser;
      await page.setViewportSize({ width: 390, height: 844 });
      await page.emulateMedia({ colorScheme });
      await page.goto(`${site.address}/docs`);
      expect(await findAxeViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      expect(await page.locator('script').count()).toBe(0);
      expect(browser.takeTroubles()).toEqual([]);
    },
  );

  test('has a curl line and an answer of each operation that has one', async () => {
    const { page } = browser;
    await page.goto(`${site.address}/docs`);
    await page.getByRole('link', { name: 'GET /api/anime/schedule' }).click();
    const section = page.locator('#getSchedule');
    expect(await section.locator('pre').first().innerText()).toMatch(
      /^curl 'http:\/\/localhost:\d+\/api\/anime\/schedule'$/u,
    );
    expect(JSON.parse(await section.locator('pre').nth(1).innerText())).toMatchObject({ status: true });
    expect(await page.locator('#upload pre').first().innerText()).toMatch(/^curl -F file=@photo\.png '/u);
  });
});
