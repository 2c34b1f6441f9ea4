import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Language } from '../../src/pages/i18n/translations.ts';
import { describeInBrowser, type TestBrowser } from '../support/browser.ts';
import { findAxeViolations, findForeignTexts, findLayoutFaults } from '../support/page-rules.ts';
import { openPageSite, type PageSite } from '../support/page-site.ts';
import { addLanguage, type PageCase, PICTURED, visit, WIDTHS } from './every-page.ts';
import { compare, FORMATS, MAX_DIFFERENT, PICTURES, takePictures } from './take-pictures.ts';

const NARROWEST = { width: 320, height: 640 };
/** How many characters a column has at least where the text is twice as large in the narrowest window. */
const LARGE_TEXT_CHARACTERS = 5;
const LANGUAGE_NAMES = { id: 'Indonesian', en: 'English' };

/** The tests that hold these pages to the rules of every page, in one language: a file for each, because they take long. */
export function checkPages(name: string, pages: readonly PageCase[], language: Language): void {
  describeInBrowser(`${name} in ${LANGUAGE_NAMES[language]}, on a phone and on a desktop`, (browser) =>
    checkEach(browser, pages, language),
  );
}

function checkEach(browser: TestBrowser, pages: readonly PageCase[], language: Language): void {
  let site: PageSite;
  let page: Page;
  let pageWithoutScript: Page;
  /** Pictures are decoded here: a page of ours forbids most of what that takes. */
  let desk: Page;

  // The status of an error is one, and some states need them.
  afterEach(() => void browser.takeTroubles());

  beforeAll(async () => {
    site = await openPageSite(afterAll);
    page = await browser.openPage(afterAll, { timezoneId: 'Asia/Jakarta' });
    pageWithoutScript = await browser.openPage(afterAll, { javaScriptEnabled: false });
    desk = browser.page;
  });

  /** Where those pictures are that differ from the kept ones (`npm run pictures -- --update NAME` replaces them). */
  async function findDifferent(one: PageCase): Promise<string[]> {
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

  test.each(pages)(
    '$name is in one language, fits its window, is accessible, and looks like its picture where one is kept',
    async (one) => {
      const response = await visit(page, site, one, language);
      expect(response?.status()).toBe(one.status ?? 200);
      expect(response?.headers()['referrer-policy']).toBe('no-referrer');
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      expect(await findForeignTexts(page, language)).toEqual([]);
      // It speaks its own language: to a reader of the other one, its texts are foreign.
      expect(await findForeignTexts(page, language === 'id' ? 'en' : 'id')).not.toEqual([]);
      if (PICTURED.has(one.name)) expect(await findDifferent(one)).toEqual([]);
      for (const viewport of Object.values(WIDTHS)) {
        await page.setViewportSize(viewport);
        expect(await findLayoutFaults(page)).toEqual([]);
      }
      await page.setViewportSize(NARROWEST);
      expect(await findLayoutFaults(page)).toEqual([]);
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
      expect(await findLayoutFaults(page, LARGE_TEXT_CHARACTERS)).toEqual([]);
      // All rules hold in one language, and those of colours in both themes.
      await page.emulateMedia({ colorScheme: language === 'id' ? 'light' : 'dark' });
      expect(await findAxeViolations(page, language === 'id' ? undefined : ['color-contrast'])).toEqual([]);
    },
  );

  // What a page has without its scripts does not depend on the language.
  const withoutScript = language === 'id' ? pages.filter(({ reach }) => !reach) : [];
  test.each(withoutScript)('$name is complete without JavaScript', async (one) => {
    await pageWithoutScript.goto(addLanguage(await one.address(site), language));
    expect(await pageWithoutScript.getByRole('heading', { level: 1 }).count()).toBe(1);
    for (const viewport of Object.values(WIDTHS)) {
      await pageWithoutScript.setViewportSize(viewport);
      expect(await findLayoutFaults(pageWithoutScript)).toEqual([]);
    }
  });
}
