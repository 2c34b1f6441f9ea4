import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { LANGUAGES } from '../../src/pages/i18n/translations.ts';
import type { Defer } from '../support/defer.ts';
import { openPageSite } from '../support/page-site.ts';
import { PAGES, visit } from './every-page.ts';
import { FORMATS, PICTURES, takePictures } from './take-pictures.ts';

/**
 * Makes the pictures anew that pages are compared with: of the pages of these names, or of all. Look at them before they
 * are committed.
 */
export async function updatePictures(
  browser: Browser,
  defer: Defer,
  names: readonly string[],
): Promise<void> {
  const site = await openPageSite(defer);
  if (names.length === 0) await rm(PICTURES, { recursive: true, force: true });
  await mkdir(PICTURES, { recursive: true });
  for (const one of PAGES) {
    if (names.length > 0 && !names.includes(one.name)) continue;
    // A fixed clock cannot be let go again.
    const page = await browser.newPage({ timezoneId: 'Asia/Jakarta' });
    for (const language of LANGUAGES) {
      await visit(page, site, one, language);
      for await (const { name, bytes } of takePictures(page, one, language, FORMATS.kept))
        await writeFile(path.join(PICTURES, `${name}.webp`), bytes);
    }
    await page.close();
  }
}
