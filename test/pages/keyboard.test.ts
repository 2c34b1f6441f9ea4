import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openUploadSite } from '../support/browser.ts';
import { openOnce } from '../support/until-end.ts';

const MB = 1024 * 1024;
const FILE = { name: 'senja.png', mimeType: 'image/png', buffer: Buffer.alloc(MB, 'isi ') };

describeInBrowser('by keyboard alone,', (browser) => {
  const site = openOnce((defer) => openUploadSite(defer));

  test('a file is chosen, uploaded, cancelled and deleted', async () => {
    const { page } = browser;
    page.on('filechooser', (chooser) => void chooser.setFiles(FILE));
    await page.goto(site.origin);
    await browser.network.slow(MB / 20);

    async function tabTo(name: string): Promise<void> {
      for (let presses = 0; presses < 12; presses += 1) {
        await page.keyboard.press('Tab');
        const focus = await readFocus(page);
        expect(focus.outline, `the focus is visible on ${focus.name}`).toMatch(/^solid [2-9]px$/u);
        if (focus.name.startsWith(name)) return;
      }
      throw new Error(`no way to ${name}`);
    }

    await tabTo('Choose files');
    await page.keyboard.press('Enter');
    await page.getByText('s left').waitFor();
    await tabTo('Cancel');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing was kept.').waitFor();
    expect((await readFocus(page)).name).toContain('Choose files');

    await browser.network.fast();
    await page.keyboard.press('Enter');
    await page.locator('.done:visible').waitFor();
    await tabTo('Copy link');
    await tabTo('More links');
    await page.keyboard.press('Enter');
    await tabTo('http://');
    await tabTo('Delete');
    await page.keyboard.press('Space');
    await page.keyboard.press('Space');
    await page.getByText('“senja.png” was deleted.').waitFor();
    expect((await readFocus(page)).name).toContain('Choose files');
    expect(browser.takeTroubles()).toEqual([]);
  });
});

async function readFocus(page: Page): Promise<{ name: string; outline: string }> {
  return await page.evaluate(`(() => {
    const { labels, innerText } = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    return { name: labels?.[0]?.innerText ?? innerText, outline: outlineStyle + ' ' + outlineWidth };
  })()`);
}
