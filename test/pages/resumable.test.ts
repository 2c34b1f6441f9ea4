import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, openUploadSite } from '../support/browser.ts';
import { temporaryFolder } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';
import { sha256 } from '../support/uploads.ts';

const MB = 1024 * 1024;

describeInBrowser('a file of more than 5 MB', (browser) => {
  const bytes = randomBytes(6 * MB);
  const site = openOnce(async (defer) => {
    const file = path.join(await temporaryFolder(defer), 'Film liburan.bin');
    await writeFile(file, bytes);
    return { file, ...(await openUploadSite(defer, { UPLOAD_MAX_SIZE: '20 MB', TIME_ZONE: 'UTC' })) };
  });

  afterEach(async () => {
    await browser.network.fast();
    browser.takeTroubles();
  });

  async function open(): Promise<Page> {
    await browser.page.goto(site.origin);
    await browser.page.evaluate('localStorage.clear()');
    await browser.page.reload();
    return browser.page;
  }

  /** An upload that has begun and would take ten seconds more. */
  async function begin(page: Page): Promise<void> {
    await browser.network.slow(500 * 1024);
    await page.setInputFiles('#file', site.file);
    await page.getByText(/[1-5](?:\.\d)? MB of/u).waitFor();
  }

  async function expectArrived(page: Page): Promise<void> {
    const direct = (await page.locator('.done:visible + details a.direct').textContent())!;
    expect(sha256(Buffer.from(await (await fetch(direct)).arrayBuffer()))).toBe(sha256(bytes));
    expect(await page.evaluate('localStorage.getItem("tayang-unfinished")')).toBeNull();
    const deleted = await fetch((await page.locator('.copy-deletion').getAttribute('data-copy')) ?? '', {
      method: 'DELETE',
    });
    expect(deleted.status).toBe(204);
  }

  test('continues by itself when the network is back', async () => {
    const page = await open();
    await begin(page);
    await browser.network.cut();
    await page.getByText('The upload resumes by itself once it is back.').waitFor();
    const reached = Number(await page.locator('progress').getAttribute('value'));
    await browser.network.fast();
    await expectArrived(page);
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThan(1);
  });

  test('stops at a pause and continues from there', async () => {
    const page = await open();
    const offsets: string[] = [];
    page.on('request', (request) => {
      const offset = request.headers()['upload-offset'];
      if (request.method() === 'PATCH' && offset) offsets.push(offset);
    });
    await begin(page);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused.').waitFor();
    await browser.network.fast();
    await page.getByRole('button', { name: 'Resume' }).click();
    await expectArrived(page);
    expect(offsets[0]).toBe('0');
    expect(Number(offsets.at(-1))).toBeGreaterThan(MB / 2);
  });

  test('continues after the page was reloaded and the file chosen again', async () => {
    const page = await open();
    await begin(page);
    await page.reload();
    await browser.network.fast();
    const notice = await page.locator('#notice').innerText();
    expect(notice).toBe(
      '“Film liburan.bin” was not uploaded completely. Choose it again to continue the upload.',
    );
    const head = page.waitForResponse((response) => response.request().method() === 'HEAD');
    await page.setInputFiles('#file', site.file);
    expect(Number((await head).headers()['upload-offset'])).toBeGreaterThan(MB / 2);
    await expectArrived(page);
  });

  test('leaves nothing when it is cancelled', async () => {
    const page = await open();
    await begin(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('“Film liburan.bin” was cancelled. Nothing was kept.').waitFor();
    await browser.network.fast();
    const arrived = async () => (await site.kept()).filter((name) => name.endsWith('/bytes'));
    await expect.poll(arrived).toHaveLength(0);
    expect(await page.evaluate('localStorage.getItem("tayang-unfinished")')).toBeNull();
  });

  test('shows the reason of a refusal', async () => {
    const full = await openUploadSite(onTestFinished, {
      UPLOAD_MAX_SIZE: '20 MB',
      UPLOAD_ADDRESS_QUOTA: '2 MB',
    });
    const { page } = browser;
    await page.goto(full.origin);
    await page.setInputFiles('#file', site.file);
    await page.getByText('There is no room left.').waitFor();
  });

  test('continues after a temporary refusal', async () => {
    const page = await open();
    let refused = 0;
    const body = JSON.stringify({ status: false, message: 'the uploads are being restarted' });
    await page.route('**/files/*', async (route) => {
      if (route.request().method() !== 'PATCH' || refused > 0) return route.fallback();
      refused += 1;
      await route.fulfill({ status: 503, contentType: 'application/json', body });
    });
    await page.setInputFiles('#file', site.file);
    await expectArrived(page);
    expect(refused).toBe(1);
    await page.unroute('**/files/*');
  });
});
