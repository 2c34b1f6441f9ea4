import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { PAGES, PICTURED } from './every-page.ts';
import { compare, MAX_DIFFERENT, PICTURES } from './take-pictures.ts';

const MAX_BYTES = 1.5 * 1024 ** 2;

describeInBrowser('the kept pictures', (browser) => {
  test('count as different when the content of a page has moved', async () => {
    const { page } = browser;
    await page.setViewportSize({ width: 360, height: 740 });
    const session = await page.context().newCDPSession(page);
    const shoot = async (style: string, quality = 70) => {
      await page.setContent(`<body style="font: 20px sans-serif; ${style}">${'kata '.repeat(200)}`);
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
      return Buffer.from(data, 'base64');
    };
    const [kept, same, moved] = [await shoot(''), await shoot('', 60), await shoot('margin: 40px')];
    expect(kept.equals(same)).toBe(false);
    expect(await compare(page, kept, same)).toBeLessThanOrEqual(MAX_DIFFERENT);
    expect(await compare(page, kept, moved)).toBeGreaterThan(MAX_DIFFERENT);
  });

  test('are those of ten pages, and take less than 1.5 MB', async () => {
    const names = await readdir(PICTURES);
    const states = new Set(names.map((name) => name.split('-').slice(0, -3).join('-')));
    expect(states).toEqual(PICTURED);
    expect(PICTURED.difference(new Set(PAGES.map(({ name }) => name)))).toEqual(new Set());
    const sizes = await Promise.all(
      names.map(async (name) => (await readFile(path.join(PICTURES, name))).length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
  });
});
