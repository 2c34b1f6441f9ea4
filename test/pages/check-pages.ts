import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LANGUAGES, type Language } from '../../src/pages/i18n/translations.ts';
import { describeInBrowser, openTestBrowser } from '../support/browser.ts';
import { findForeignTexts } from '../support/foreign-texts.ts';
import { findLayoutFaults } from '../support/layout-faults.ts';
import { findBarriers } from '../support/listing-site.ts';
import { openPageSite } from '../support/page-site.ts';
import { type PageCase, type PageSite, visit, WIDTHS } from './every-page.ts';
import { compare, FORMATS, MAX_DIFFERENT, PICTURES, takePictures } from './take-pictures.ts';

/** The tests that hold these pages to the rules of every page. */
export function checkPages(name: string, pages: readonly PageCase[]): void {
  describeInBrowser(`${name}, in both languages, on a phone and on a desktop`, () => checkEach(pages));
}

function checkEach(pages: readonly PageCase[]): void {
  let site: PageSite;
  let page: Page;
  let withoutScript: Page;
  /** Pictures are decoded here: a page of ours forbids most of what that takes. */
  let desk: Page;

  beforeAll(async () => {
    const browser = await openTestBrowser(afterAll);
    site = await openPageSite(afterAll);
    page = await browser.openPage(afterAll, { timezoneId: 'Asia/Jakarta' });
    withoutScript = await browser.openPage(afterAll, { javaScriptEnabled: false });
    desk = browser.page;
  });

  /** Where those pictures are that differ from the kept ones (`npm run pictures -- --update NAME` replaces them). */
  async function findDifferent(one: PageCase, language: Language): Promise<string[]> {
    const different: string[] = [];
    for await (const { name, bytes } of takePictures(page, one, language, FORMATS.compared)) {
      const kept = await readFile(path.join(PICTURES, `${name}.webp`));
      if ((await compare(desk, kept, bytes)) <= MAX_DIFFERENT) continue;
      const taken = path.join(tmpdir(), `${name}.jpeg`);
      different.push(taken);
      await writeFile(taken, bytes);
    }
    return different;
  }

  describe.each(pages)('$name', (one) => {
    test.each(LANGUAGES)(
      'looks as it was looked at last, in one language, fits its window and has no barrier: %s',
      async (language) => {
        const response = await visit(page, site, one, language);
        expect(response?.status()).toBe(one.status ?? 200);
        expect(await page.locator('html').getAttribute('lang')).toBe(language);
        expect(await findForeignTexts(page, language)).toEqual([]);
        // It speaks its own language: to a reader of the other one, its texts are foreign.
        expect(await findForeignTexts(page, language === 'id' ? 'en' : 'id')).not.toEqual([]);
        expect(await findDifferent(one, language)).toEqual([]);
        for (const viewport of Object.values(WIDTHS)) {
          await page.setViewportSize(viewport);
          expect(await findLayoutFaults(page)).toEqual([]);
        }
        // The pictures leave the page dark; colours are checked in both themes.
        await page.emulateMedia({ colorScheme: language === 'id' ? 'light' : 'dark' });
        expect(await findBarriers(page)).toEqual([]);
      },
    );
  });

  const atOnce = pages.filter(({ reach }) => !reach);
  test.each(atOnce)('$name is complete without JavaScript', async ({ address }) => {
    await withoutScript.goto(await address(site));
    expect(await withoutScript.getByRole('heading', { level: 1 }).count()).toBe(1);
    for (const viewport of Object.values(WIDTHS)) {
      await withoutScript.setViewportSize(viewport);
      expect(await findLayoutFaults(withoutScript)).toEqual([]);
    }
  });
}
