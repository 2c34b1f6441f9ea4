import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openTestBrowser } from '../support/browser.ts';
import { openPageSite } from '../support/page-site.ts';
import { PAGES, type PageSite } from './every-page.ts';
import { compare, PICTURES, takePictures } from './take-pictures.ts';

/** Of the blocks of a picture. Generic fonts differ from machine to machine by less. */
const MAX_DIFFERENT = 0.03;
const MAX_BYTES = 6 * 1024 ** 2;

describeInBrowser('every page looks as it was looked at last (npm run pictures -- --update)', () => {
  let site: PageSite;
  let page: Page;
  /** Pictures are decoded here: a page of ours forbids most of what that takes. */
  let desk: Page;

  beforeAll(async () => {
    const browser = await openTestBrowser(afterAll);
    site = await openPageSite(afterAll);
    page = await browser.openPage(afterAll, { timezoneId: 'Asia/Jakarta' });
    desk = browser.page;
  });

  test.each(PAGES)('$name', { timeout: 60_000 }, async (one) => {
    const different: string[] = [];
    for await (const { name, bytes } of takePictures(page, site, one)) {
      const kept = await readFile(path.join(PICTURES, name));
      if ((await compare(desk, kept, bytes)) <= MAX_DIFFERENT) continue;
      different.push(path.join(tmpdir(), name));
      await writeFile(path.join(tmpdir(), name), bytes);
    }
    expect(different).toEqual([]);
  });

  test('a page whose content has moved is another picture', async () => {
    await desk.setViewportSize({ width: 360, height: 740 });
    const shoot = async (style: string) => {
      await desk.setContent(`<body style="font: 20px sans-serif; ${style}">${'kata '.repeat(200)}`);
      const session = await desk.context().newCDPSession(desk);
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 });
      return Buffer.from(data, 'base64');
    };
    const [kept, same, moved] = [await shoot(''), await shoot(''), await shoot('margin: 40px')];
    expect(await compare(desk, kept, same)).toBeLessThanOrEqual(MAX_DIFFERENT);
    expect(await compare(desk, kept, moved)).toBeGreaterThan(MAX_DIFFERENT);
  });

  test('the pictures are those of the list, and small', async () => {
    const names = await readdir(PICTURES);
    const states = new Set(names.map((name) => name.split('-').slice(0, -3).join('-')));
    expect([...states].sort()).toEqual(PAGES.map(({ name }) => name).sort());
    const sizes = await Promise.all(
      names.map(async (name) => (await readFile(path.join(PICTURES, name))).length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
  });
});
