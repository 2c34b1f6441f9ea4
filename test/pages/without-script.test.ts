import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openUploadSite, saidOf } from '../support/browser.ts';
import { openOnce } from '../support/until-end.ts';

const MB = 1024 * 1024;
const NAME = 'laporan "akhir" – ١.txt';

describeInBrowser('the pages of the uploads without JavaScript', (browser) => {
  let page: Page;

  const site = openOnce((defer) => openUploadSite(defer, { UPLOAD_MAX_SIZE: '1 MB' }));

  beforeAll(async () => {
    page = await browser.openPage(afterAll, { javaScriptEnabled: false });
    // Chromium wants an icon for an answer that is no page, too.
    await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
  });

  async function uploadByForm(name: string, buffer: Buffer) {
    await page.goto(site.origin);
    await page.getByLabel('Choose a file').setInputFiles({ name, mimeType: 'text/plain', buffer });
    const [response] = await Promise.all([
      page.waitForResponse(`${site.origin}/upload?lang=en`),
      page.getByRole('button', { name: 'Upload' }).click(),
    ]);
    await page.waitForLoadState();
    return response;
  }

  test('offer only functions that work, and send no form without a file', async () => {
    await page.goto(site.origin);
    expect(await page.locator('.live:visible').count()).toBe(0);
    expect(await page.locator('button:visible').allInnerTexts()).toEqual(['Upload']);
    await page.getByText('From a terminal').click();
    expect(await page.getByText(`curl -T photo.jpg ${site.origin}`).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Upload' }).click();
    expect(await page.locator('input:invalid').count()).toBe(1);
    expect(page.url()).toBe(`${site.origin}/`);
  });

  test('upload, show, download and delete a file', async () => {
    const response = await uploadByForm(NAME, Buffer.from('isi berkas'));
    await page.getByRole('heading', { name: `Uploaded ${NAME}` }).waitFor();
    const deletion = await page.locator('#deletion').innerText();
    expect(deletion).toBe(await response.headerValue('X-Delete-Url'));
    const address = await page.locator('#page').innerText();
    expect(await page.locator('time').innerText()).toMatch(/^in 24 hours, /u);

    await page.locator('#page').click();
    await page.getByRole('heading', { name: NAME }).waitFor();
    expect(await page.locator('pre').textContent()).toBe('isi berkas');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^laporan .akhir. – ١\.txt$/u);

    await page.goto(deletion);
    expect(await page.getByText(NAME).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Delete it now' }).click();
    await page.getByRole('heading', { name: 'Deleted' }).waitFor();
    expect((await fetch(address)).status).toBe(404);
    await page.getByRole('link', { name: 'Upload more' }).click();
    await page.getByRole('heading', { name: 'Upload files' }).waitFor();
  });

  test('refuse a file that is too large with a message', async () => {
    await uploadByForm('film.mp4', randomBytes(3 * MB));
    await page.getByRole('heading', { name: 'Too large' }).waitFor();
    expect(await page.getByText('A file may have up to 1 MB.').isVisible()).toBe(true);
    expect(browser.takeTroubles()).toEqual([saidOf(413)]);
  });
});
