import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, openUploadSite } from '../support/browser.ts';
import { temporaryFolder } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

const MB = 1024 * 1024;
const HOUR_MS = 3_600_000;
const NAME = 'Film liburan.bin';
const CONTINUE = `“foto.jpg” was not uploaded completely. Choose it again to continue the upload.`;

describeInBrowser('an upload has one owner', (browser) => {
  const site = openOnce(async (defer) => {
    const folder = await temporaryFolder(defer);
    const [large, small] = [path.join(folder, NAME), path.join(folder, 'foto.jpg')];
    await writeFile(large, randomBytes(6 * MB));
    await writeFile(small, randomBytes(300 * 1024));
    return { large, small, ...(await openUploadSite(defer, { UPLOAD_MAX_SIZE: '20 MB', TIME_ZONE: 'UTC' })) };
  });

  /** Opens the page for a new visitor; `withoutLocks` as over plain HTTP. */
  async function open({ withoutLocks = false } = {}): Promise<Page> {
    const page = await browser.openPage(onTestFinished, {});
    if (withoutLocks) await page.context().addInitScript('delete Navigator.prototype.locks');
    await page.goto(site.origin);
    return page;
  }

  /** Opens a second tab of the same visitor. */
  async function openTab(page: Page): Promise<Page> {
    const opened = page.context().waitForEvent('page');
    await page.evaluate(`window.open(location.href, '_blank', 'noopener') && undefined`);
    const tab = await opened;
    onTestFinished(() => tab.close());
    await tab.waitForLoadState('load');
    return tab;
  }

  // The browser asks before it leaves a page that sends something.
  afterEach(() => void browser.takeTroubles());

  /** Holds the requests of a method that a tab sends to its uploads. */
  async function hold(page: Page, method: string) {
    const held: Route[] = [];
    let isHolding = true;
    await page.route('**/files/*', async (route) => {
      if (isHolding && route.request().method() === method) held.push(route);
      else await route.fallback();
    });
    return {
      /** Resolves once so many requests were held. */
      begun: (count = 1) => expect.poll(() => held.length).toBe(count),
      /** Lets the first one go. */
      release: () => held[0]!.continue(),
      /** Holds no other one. */
      pass() {
        isHolding = false;
      },
    };
  }

  const row = (page: Page, place: number) => page.getByRole('listitem').nth(place);
  const pageOf = async (page: Page, place: number) =>
    String(await row(page, place).locator('a.page').textContent());
  const isDone = (page: Page, place: number) => row(page, place).locator('.done:visible').waitFor();
  const cancel = (page: Page, place: number) =>
    row(page, place).getByRole('button', { name: 'Cancel' }).click();
  const notice = (page: Page) => page.locator('#notice').innerText();
  const statusOf = async (address: string) => (await fetch(address)).status;
  const isNoted = (page: Page) => page.evaluate(`localStorage.getItem('tayang-unfinished') !== null`);

  describe.each([false, true])('(without locks: %s)', (withoutLocks) => {
    test('the same file chosen twice is two uploads, and Cancel on one leaves the other', async () => {
      const page = await open({ withoutLocks });
      const patches = await hold(page, 'PATCH');
      await page.setInputFiles('#file', site.large);
      await patches.begun(1);
      await page.setInputFiles('#file', site.large);
      await patches.begun(2);
      // Only the first upload goes on; the second one is held for ever.
      await patches.release();
      await isDone(page, 1);
      const finished = await pageOf(page, 1);
      await cancel(page, 0);
      await expect.poll(() => notice(page)).toBe(`“${NAME}” was cancelled. Nothing was kept.`);
      expect(await page.getByRole('listitem').count()).toBe(1);
      expect(await statusOf(finished)).toBe(200);
    });

    test('the same file in a second tab is an upload of its own', async () => {
      const page = await open({ withoutLocks });
      const first = await hold(page, 'PATCH');
      await page.setInputFiles('#file', site.large);
      await first.begun();
      const tab = await openTab(page);
      const second = await hold(tab, 'PATCH');
      await tab.setInputFiles('#file', site.large);
      await second.begun();
      await first.release();
      await isDone(page, 0);
      // The file that has arrived is in its list as well, on top.
      await isDone(tab, 0);
      await cancel(tab, 1);
      await expect.poll(() => notice(tab)).toContain('was cancelled');
      expect(await statusOf(await pageOf(page, 0))).toBe(200);
    });

    test('a small file is continued, too, when it is chosen again after a reload', async () => {
      const page = await open({ withoutLocks });
      const patches = await hold(page, 'PATCH');
      await page.setInputFiles('#file', site.small);
      await patches.begun();
      await page.reload();
      patches.pass();
      const head = page.waitForResponse((response) => response.request().method() === 'HEAD');
      await page.setInputFiles('#file', site.small);
      expect((await head).status()).toBe(200);
      await isDone(page, 0);
      await expect.poll(() => isNoted(page)).toBe(false);
      expect(await statusOf(await pageOf(page, 0))).toBe(200);
    });
  });

  test('a tab does not ask for a file that another one is sending, until that one is gone', async () => {
    const page = await open();
    const tab = await openTab(page);
    const patches = await hold(tab, 'PATCH');
    await tab.setInputFiles('#file', site.small);
    await patches.begun();
    await page.reload();
    await expect
      .poll(() => page.evaluate('navigator.locks.query().then(({ pending }) => pending.length)'))
      .toBeGreaterThan(0);
    expect(await notice(page)).toBe('');
    await tab.close();
    await expect.poll(() => notice(page)).toBe(CONTINUE);
  });

  test('a second tab stops asking for a file once it has arrived', async () => {
    const page = await open();
    const patches = await hold(page, 'PATCH');
    await page.setInputFiles('#file', site.small);
    await patches.begun();
    await page.reload();
    const tab = await openTab(page);
    await expect.poll(() => notice(tab)).toBe(CONTINUE);
    patches.pass();
    await page.setInputFiles('#file', site.small);
    await isDone(page, 0);
    await expect.poll(() => notice(tab)).toBe('');
  });

  test('Cancel does not delete a file that is complete: its links are shown', async () => {
    const page = await open();
    const gets = await hold(page, 'GET');
    await page.setInputFiles('#file', site.small);
    await gets.begun();
    gets.pass();
    await cancel(page, 0);
    await isDone(page, 0);
    expect(await notice(page)).toBe('“foto.jpg” was already complete. You can delete it below.');
    expect(await statusOf(await pageOf(page, 0))).toBe(200);
  });

  test('a file that is chosen again with another lifetime is sent anew, and lives as long as that', async () => {
    const page = await open();
    const patches = await hold(page, 'PATCH');
    await page.setInputFiles('#file', site.small);
    await patches.begun();
    await page.reload();
    patches.pass();
    await page.selectOption('#lifetime', { label: '1 hour' });
    await page.setInputFiles('#file', site.small);
    await isDone(page, 0);
    const [{ expires }] = JSON.parse(await page.evaluate(`localStorage.getItem('tayang-uploads')`));
    expect(expires - Date.now()).toBeLessThanOrEqual(HOUR_MS);
    // Nobody is asked to choose again what has arrived.
    await page.reload();
    expect(await isNoted(page)).toBe(false);
  });

  test('what one tab has sent or deleted is added to or removed from the list of the other', async () => {
    const page = await open();
    const tab = await openTab(page);
    await page.setInputFiles('#file', site.small);
    await isDone(page, 0);
    await isDone(tab, 0);
    expect(await pageOf(tab, 0)).toBe(await pageOf(page, 0));
    await row(tab, 0).locator('summary').click();
    await tab.locator('.delete').click();
    await tab.locator('.delete').click();
    await expect.poll(() => page.getByRole('listitem').count()).toBe(0);
  });
});
