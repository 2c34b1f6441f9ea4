import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, gifOf, openUploadSite, type Uploaded } from '../support/browser.ts';
import { findAxeViolations } from '../support/listing-site.ts';
import { openOnce } from '../support/until-end.ts';

const MB = 1024 * 1024;
const NARROWEST = { width: 320, height: 640 };
/** The minimum size of a touch target, in CSS pixels. */
const TARGET = 44;
const LONG = `${'Laporan_perjalanan_'.repeat(11)}(salinan akhir).png`;

const fileOf = (bytes: number, name = LONG) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.alloc(bytes, 'isi '),
});

describeInBrowser('the pages of the uploads are accessible:', (browser) => {
  let picture: Uploaded;

  const site = openOnce((defer) => openUploadSite(defer, { UPLOAD_MAX_SIZE: '1 MB' }));

  beforeAll(async () => {
    picture = await site.upload(LONG, gifOf(1280, 800));
  });

  const open = (page: Page) => page.goto(site.origin);

  async function choose(page: Page, bytes: number) {
    await open(page);
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await page.setInputFiles('#file', fileOf(bytes));
  }

  /** Brings a page to its states with the most controls. The rules of every page hold for the others, too. */
  const STATES: Record<string, (page: Page) => Promise<unknown>> = {
    'the front page': (page) => open(page),
    async 'an upload under way'(page) {
      await browser.network.slow(MB / 20);
      await choose(page, MB);
      await page.getByText('s left').waitFor();
    },
    async 'the result of an upload'(page) {
      await choose(page, 10);
      await page.locator('a.direct:visible').waitFor();
    },
    'the page of an image': (page) => page.goto(picture.url),
    'the page that deletes': (page) => page.goto(picture.deletion),
  };

  test.each(Object.entries(STATES))(
    '%s fits the narrowest phone, with targets large enough for a thumb',
    async (_, reach) => {
      const { page } = browser;
      await page.setViewportSize(NARROWEST);
      await reach(page);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROWEST.width);
      const targets = await page.locator('header a, .button:visible, button:visible, input:visible').all();
      const boxes = await Promise.all(targets.map((target) => target.boundingBox()));
      expect(boxes.length).toBeGreaterThan(0);
      for (const box of boxes) {
        expect(box!.height).toBeGreaterThanOrEqual(TARGET);
        expect(box!.x + box!.width).toBeLessThanOrEqual(NARROWEST.width);
      }
      expect(await findAxeViolations(page)).toEqual([]);
      expect(browser.takeTroubles()).toEqual([]);
      // An upload under way asks first.
      await browser.network.fast();
      await page.goto('about:blank');
      browser.takeTroubles();
    },
  );

  test('a file is chosen, uploaded, cancelled and deleted by keyboard alone', async () => {
    const { page } = browser;
    page.on('filechooser', (chooser) => void chooser.setFiles(fileOf(MB, 'senja.png')));
    await open(page);
    await page.evaluate('localStorage.clear()');
    await page.reload();
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
    await page.locator('a.direct:visible').waitFor();
    await tabTo('Copy link');
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
