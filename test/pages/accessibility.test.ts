import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  describeInBrowser,
  gifOf,
  openTestBrowser,
  openUploadSite,
  saidOf,
  type Uploaded,
} from '../support/browser.ts';
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

describeInBrowser('the pages of the uploads are accessible:', () => {
  let picture: Uploaded;

  const browser = openOnce(openTestBrowser);
  const site = openOnce((defer) => openUploadSite(defer, { UPLOAD_MAX_SIZE: '1 MB' }));

  beforeAll(async () => {
    picture = await site.upload(LONG, gifOf(1280, 800));
  });

  const open = (page: Page, address = '') => page.goto(`${site.origin}/${address}`);
  const openFile = async (page: Page, name: string, content: string) =>
    page.goto((await site.upload(name, content)).url);

  async function choose(page: Page, bytes: number) {
    await open(page);
    await page.setInputFiles('#file', fileOf(bytes));
  }

  /** Brings a page to each of its states. */
  const STATES: Record<string, (page: Page) => Promise<unknown>> = {
    'the front page': (page) => open(page),
    'a refusal': (page) => choose(page, MB + 1),
    async 'an upload under way'(page) {
      await browser.network.slow(MB / 20);
      await choose(page, MB);
      await page.getByText('s left').waitFor();
    },
    async 'the result of an upload'(page) {
      await choose(page, 10);
      await page.getByRole('heading', { name: 'Uploaded' }).waitFor();
    },
    'the page of an image': (page) => page.goto(picture.url),
    'the page of a text': (page) => openFile(page, 'catatan.txt', 'kata-'.repeat(20_000)),
    'the page of a file without a preview': (page) => openFile(page, 'arsip.zip', 'PK\x03\x04'),
    'the page that deletes': (page) => page.goto(picture.deletion),
    'an error': (page) => open(page, `nothing/${'long'.repeat(60)}`),
  };

  describe.each(Object.entries(STATES))('%s', (_, reach) => {
    let page: Page;

    beforeAll(async () => {
      page = browser.page;
      await page.setViewportSize(NARROWEST);
      await reach(page);
    });

    /** An upload under way asks first. */
    afterAll(async () => {
      await browser.network.fast();
      await page.goto('about:blank');
      browser.takeTroubles();
    });

    test('logs no error and blocks no request', () => {
      expect(browser.takeTroubles().filter((trouble) => trouble !== saidOf(404))).toEqual([]);
    });

    test('has a name for everything that can have the focus', async () => {
      const controls = await readControls(page);
      expect(controls.length).toBeGreaterThan(0);
      expect(controls.filter(({ name }) => name === '')).toEqual([]);
    });

    test('fits the narrowest phone, with targets large enough for a thumb', async () => {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROWEST.width);
      const targets = await page.locator('header a, .button:visible, button:visible, input:visible').all();
      const boxes = await Promise.all(targets.map((target) => target.boundingBox()));
      expect(boxes.length).toBeGreaterThan(0);
      for (const box of boxes) {
        expect(box!.height).toBeGreaterThanOrEqual(TARGET);
        expect(box!.x + box!.width).toBeLessThanOrEqual(NARROWEST.width);
      }
    });

    test.each(['light', 'dark'] as const)(
      'has enough contrast in the %s theme (WCAG AA)',
      async (colorScheme) => {
        await page.emulateMedia({ colorScheme });
        const texts = await readTexts(page);
        expect(texts.length).toBeGreaterThan(2);
        expect(texts.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
      },
    );
  });

  test('the light and the dark theme differ', async () => {
    const { page } = browser;
    await open(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await paper();
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await paper()).not.toBe(dark);
  });

  test('a file is chosen, uploaded, cancelled and deleted by keyboard alone', async () => {
    const { page } = browser;
    page.on('filechooser', (chooser) => void chooser.setFiles(fileOf(MB, 'senja.png')));
    await open(page);
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

    await tabTo('Choose a file');
    await page.keyboard.press('Enter');
    await page.getByText('s left').waitFor();
    await tabTo('Cancel');
    await page.keyboard.press('Enter');
    await page.getByText('Cancelled. Nothing was kept.').waitFor();
    expect((await readFocus(page)).name).toContain('Choose a file');

    await browser.network.fast();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Uploaded senja.png' }).waitFor();
    await tabTo('http://');
    await tabTo('Delete it');
    await page.keyboard.press('Space');
    await page.getByText('Deleted. The file is gone.').waitFor();
    expect((await readFocus(page)).name).toContain('Choose a file');
    expect(browser.takeTroubles()).toEqual([]);
  });
});

/** The elements that can have the focus, as assistive technology sees them. */
async function readControls(page: Page): Promise<{ role: string; name: string }[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  return nodes
    .filter(({ ignored, properties }) => !ignored && properties?.some(isFocusable))
    .map(({ role, name }) => ({ role: role?.value ?? '', name: name?.value ?? '' }));
}

function isFocusable({ name, value }: { name: string; value: { value?: unknown } }): boolean {
  return name === 'focusable' && value.value === true;
}

async function readFocus(page: Page): Promise<{ name: string; outline: string }> {
  return await page.evaluate(`(() => {
    const { labels, innerText } = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    return { name: labels?.[0]?.innerText ?? innerText, outline: outlineStyle + ' ' + outlineWidth };
  })()`);
}

/** Every visible text, and its contrast with its background. */
async function readTexts(page: Page): Promise<{ text: string; contrast: number }[]> {
  const texts = await page.evaluate<{ text: string; color: string; behind: string[] }[]>(`
    [...document.querySelectorAll('body *')]
      .filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.data?.trim()))
      .map((one) => {
        const behind = [];
        for (let at = one; at; at = at.parentElement) behind.push(getComputedStyle(at).backgroundColor);
        return { text: one.innerText, color: getComputedStyle(one).color, behind };
      })`);
  return texts.map(({ text, color, behind }) => {
    const background = behind.find((candidate) => !candidate.endsWith(', 0)')) ?? 'rgb(255, 255, 255)';
    return { text: text.slice(0, 40), contrast: contrastOf(color, background) };
  });
}

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrastOf(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(color: string): number {
  const match = /^rgb\((\d+), (\d+), (\d+)\)$/u.exec(color);
  if (!match) throw new Error(`no opaque colour: ${color}`);
  const [red = 0, green = 0, blue = 0] = match.slice(1).map((part) => {
    const value = Number(part) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
