import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, openUploadSite, saidOf } from '../support/browser.ts';
import { temporaryFolder } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

const KB = 1024;
const NAME = 'Catatan harian, 1 Nov.bin';

function fileOf(bytes: number, name = NAME) {
  return { name, mimeType: 'application/octet-stream', buffer: randomBytes(bytes) };
}

describeInBrowser('the front page of the uploads', (browser) => {
  const site = openOnce((defer) => openUploadSite(defer, { UPLOAD_MAX_SIZE: '1 MB', TIME_ZONE: 'UTC' }));

  afterEach(() => browser.network.fast());

  /** Opens the page as somebody who has not been there. */
  async function open(page = browser.page): Promise<Page> {
    await page.goto(site.origin);
    await page.evaluate('localStorage.clear()');
    await page.reload();
    return page;
  }

  const choose = (page: Page, ...files: ReturnType<typeof fileOf>[]) => page.setInputFiles('#file', files);
  const notice = (page: Page) => page.locator('#notice').innerText();
  const summary = (page: Page) => page.locator('#summary').innerText();
  const rowOf = (page: Page, name = NAME) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });
  const isDone = (page: Page, name = NAME) => rowOf(page, name).locator('.done:visible').waitFor();
  /** Opens what is folded in a row. */
  const unfold = (row: Locator) => row.locator('summary').click();
  const pageOf = (row: Locator) => row.locator('a.page').textContent();

  /** An upload that would take twenty seconds, in the middle. */
  async function chooseSlowly(page: Page) {
    await browser.network.slow(50 * KB);
    await choose(page, fileOf(1000 * KB));
    await page.getByText('s left').waitFor();
  }

  /** As if somebody had pasted or dropped files of these names, or a text. */
  const hand = (page: Page, kind: 'drop' | 'paste', ...names: string[]) =>
    page.evaluate(`(() => {
      const data = new DataTransfer();
      for (const name of ${JSON.stringify(names)}) data.items.add(new File(['isi berkas'], name));
      const Kind = ${kind === 'paste' ? 'ClipboardEvent' : 'DragEvent'};
      const about = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
      document.querySelector('h1').dispatchEvent(new Kind('${kind}', about));
    })()`);

  /** Drops files and folders of the disk. */
  async function dropPaths(page: Page, files: string[]) {
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, x: 100, y: 200, data });
    await session.detach();
  }

  test('shows the progress of an upload, its rate and the remaining time', async () => {
    const page = await open();
    await chooseSlowly(page);
    const bar = page.getByRole('progressbar', { name: NAME });
    const seen = new Set<number>();
    while (seen.size < 4)
      seen.add(await bar.evaluate((element) => (element as { value?: number }).value ?? 0));
    expect([...seen]).toEqual([...seen].sort());
    expect(Math.max(...seen)).toBeLessThan(1);
    expect(await page.locator('.upload-status').innerText()).toMatch(
      /^\d+ KB of 1,000 KB\s+\d+ KB\/s, \d+s left$/u,
    );
    await browser.network.fast();
    await isDone(page);
    expect(await bar.count()).toBe(0);
  });

  test('gives links that work', async () => {
    const page = await open();
    const file = fileOf(3_000);
    await choose(page, file);
    await isDone(page);
    expect(await summary(page)).toBe('Uploaded. The link is ready to copy.');
    await unfold(rowOf(page));
    const direct = page.locator('a.direct');
    const bytes = await (await fetch(await direct.innerText())).arrayBuffer();
    expect(Buffer.from(bytes)).toEqual(file.buffer);
    expect(await direct.innerText()).toBe(await direct.getAttribute('href'));
    expect(await page.locator('.expiry').innerText()).toMatch(/^in 24 hours, \d\d:\d\d UTC$/u);
    await page.locator('a.page').click();
    await page.getByRole('heading', { name: NAME }).waitFor();
  });

  test('offers to copy the link of the page first, and copies each of the links', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await open(await browser.openPage(onTestFinished, { permissions }));
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await choose(page, fileOf(10));
    await isDone(page);
    const row = rowOf(page);
    expect(await row.locator('button:visible').allInnerTexts()).toEqual(['Copy link']);
    await unfold(row);
    expect(await row.locator('button:visible').allInnerTexts()).toEqual([
      'Copy link',
      'Copy direct link',
      'Copy delete link',
      'Delete',
    ]);
    await row.getByRole('button', { name: 'Copy link', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await copied()).toBe(await pageOf(row));
    await row.getByRole('button', { name: 'Copy direct link' }).click();
    await expect.poll(copied).toBe(await row.locator('a.direct').innerText());
    await row.getByRole('button', { name: 'Copy delete link' }).click();
    await expect.poll(copied).toContain('/d/');
    await page.goto(`${await copied()}`);
    await page.getByRole('heading', { name: 'Delete this file?' }).waitFor();
  });

  test('uploads several files, each with its own links, and makes one link for all of them', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await open(await browser.openPage(onTestFinished, { permissions }));
    const names = ['satu.txt', 'dua.txt', 'tiga.txt', 'empat.txt', 'lima.txt'];
    await choose(page, ...names.map((name) => fileOf(10, name)));
    await expect.poll(() => summary(page)).toBe('5 of 5 files uploaded.');
    expect(await page.locator('li h3').allInnerTexts()).toEqual(names);
    const pages = await page.locator('a.page').allTextContents();
    expect(new Set(pages).size).toBe(5);
    const all = page.locator('#all');
    await all.getByRole('heading', { name: 'One link for 5 files' }).waitFor();
    await all.getByRole('button', { name: 'Copy the link to all files' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(link).toBe(await all.getByRole('link').getAttribute('href'));
    await page.reload();
    await all.getByRole('heading', { name: 'One link for 5 files' }).waitFor();
    await page.goto(link);
    expect((await page.locator('.collection .name').allInnerTexts()).sort()).toEqual(names.sort());
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: /^Download all/u }).click();
    expect((await download).suggestedFilename()).toMatch(/^tayang-.*\.zip$/u);
  });

  test('asks once for the token where uploads need one', async () => {
    const token = 'kunci-rahasia-pertama';
    const guarded = await openUploadSite(onTestFinished, { UPLOAD_TOKENS: token });
    const page = await browser.openPage(onTestFinished, {});
    await page.goto(guarded.origin);
    await choose(page, fileOf(10, 'satu.txt'));
    await expect.poll(() => notice(page)).toBe('Enter the token first, then choose files.');
    await page.getByLabel('Upload token').fill('kunci-yang-salah-ini');
    await choose(page, fileOf(10, 'satu.txt'));
    await page.getByText('Wrong token. Enter it above and try again.').waitFor();
    await page.getByLabel('Upload token').fill(token);
    await page.getByRole('button', { name: 'Try again' }).click();
    await isDone(page, 'satu.txt');
    await choose(page, fileOf(10, 'dua.txt'));
    await page.getByRole('heading', { name: 'One link for 2 files' }).waitFor();
    await page.reload();
    await page.locator('.done:visible').first().waitFor();
    expect(await page.getByLabel('Upload token').isVisible()).toBe(false);
    expect(browser.takeTroubles().every((trouble) => trouble.includes('401'))).toBe(true);
  });

  test('sends three files at a time, and takes more while they are sent', async () => {
    const page = await open();
    await browser.network.slow(50 * KB);
    const names = ['satu.bin', 'dua.bin', 'tiga.bin', 'empat.bin'];
    await choose(page, ...names.map((name) => fileOf(300 * KB, name)));
    await expect.poll(() => page.getByText(/^\d+ KB of/u).count()).toBe(3);
    expect(await rowOf(page, 'empat.bin').innerText()).toContain('Waiting for its turn…');
    await choose(page, fileOf(10, 'lima.txt'));
    expect(await page.locator('li h3').allInnerTexts()).toEqual(['lima.txt', ...names]);
    await browser.network.fast();
    await expect.poll(() => summary(page)).toBe('5 of 5 files uploaded.');
  });

  test('uploads the files of a folder that is dropped, without hidden ones', async () => {
    const folder = await temporaryFolder(onTestFinished);
    await mkdir(path.join(folder, 'liburan', 'hari 1'), { recursive: true });
    for (const name of ['a.txt', '.DS_Store', 'hari 1/b.txt'])
      await writeFile(path.join(folder, 'liburan', name), name);
    const page = await open();
    await dropPaths(page, [path.join(folder, 'liburan')]);
    await expect.poll(() => summary(page)).toBe('2 of 2 files uploaded.');
    expect((await page.locator('li h3').allInnerTexts()).sort()).toEqual(['a.txt', 'b.txt']);
  });

  test('takes the first hundred files of a folder, and says so', async () => {
    const folder = await temporaryFolder(onTestFinished);
    for (let n = 0; n < 120; n += 1) await writeFile(path.join(folder, `${n}.txt`), '');
    const page = await open();
    await page.route('**/files?*', () => {});
    await dropPaths(page, [folder]);
    await expect.poll(() => page.getByRole('listitem').count()).toBe(100);
    expect(await notice(page)).toBe('Only the first 100 files were taken. Choose the others afterwards.');
    await page.unroute('**/files?*');
    await page.goto('about:blank');
    expect(browser.takeTroubles()).toEqual(['dialog: beforeunload']);
  });

  test('deletes a file once it was asked for twice', async () => {
    const page = await open();
    await choose(page, fileOf(10, 'satu.txt'), fileOf(10, 'dua.txt'));
    await isDone(page, 'satu.txt');
    await isDone(page, 'dua.txt');
    const row = rowOf(page, 'dua.txt');
    const address = (await pageOf(row))!;
    await unfold(row);
    await row.getByRole('button', { name: 'Delete', exact: true }).dblclick();
    expect((await fetch(address)).status).toBe(200);
    await page.locator('h1').click();
    await row.getByRole('button', { name: 'Delete', exact: true }).click();
    await row.getByRole('button', { name: 'Yes, delete' }).press('Enter');
    await row.waitFor({ state: 'detached' });
    expect(await notice(page)).toBe('“dua.txt” was deleted.');
    expect((await fetch(address)).status).toBe(404);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('satu.txt');
  });

  test('keeps the links of a file that it could not delete', async () => {
    const page = await open();
    await choose(page, fileOf(10));
    await isDone(page);
    await unfold(rowOf(page));
    await browser.network.cut();
    const remove = page.locator('.delete');
    await remove.press('Enter');
    await remove.press('Enter');
    await page.getByText('It could not be deleted. Try again.').waitFor();
    expect(browser.takeTroubles()).toEqual([expect.stringContaining('ERR_INTERNET_DISCONNECTED')]);
    await browser.network.fast();
    await remove.press('Enter');
    await remove.press('Enter');
    await expect.poll(() => notice(page)).toBe(`“${NAME}” was deleted.`);
  });

  test('refuses a file that is too large with a message, without sending it, and sends the others', async () => {
    const page = await open();
    const posts: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
    await choose(page, fileOf(1024 * KB + 1), fileOf(1024 * KB, 'pas.bin'));
    await isDone(page, 'pas.bin');
    expect(await rowOf(page).innerText()).toContain('Too large: 1.1 MB. The limit is 1 MB.');
    expect(await summary(page)).toBe('1 of 2 files uploaded, 1 failed.');
    expect(posts).toHaveLength(1);
    await rowOf(page).getByRole('button').click();
    expect(await page.getByRole('listitem').count()).toBe(1);
  });

  test('says why a file was refused, and tries again', async () => {
    const page = await open();
    const body = JSON.stringify({ status: false, message: 'there is not enough space left' });
    await page.route('**/files?*', (route) =>
      route.fulfill({ status: 507, contentType: 'application/json', body }),
    );
    await choose(page, fileOf(10));
    await page.getByText('There is no room left.').waitFor();
    await page.unroute('**/files?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await isDone(page);
    expect(browser.takeTroubles()).toEqual([saidOf(507)]);
  });

  test('cancels a file that waits for its turn after it has failed', async () => {
    const page = await open();
    await page.route('**/files?*', (route) => route.fulfill({ status: 507 }), { times: 1 });
    await choose(page, fileOf(10));
    await page.getByText('There is no room left.').waitFor();
    await page.route('**/files?*', () => {});
    await choose(page, ...[1, 2, 3].map((n) => fileOf(10, `${n}.bin`)));
    await rowOf(page).getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Waiting for its turn…').waitFor();
    await rowOf(page).getByRole('button', { name: 'Cancel' }).click();
    await rowOf(page).waitFor({ state: 'detached' });
    await page.unroute('**/files?*');
    await page.goto('about:blank');
    expect(browser.takeTroubles()).toEqual([saidOf(507), 'dialog: beforeunload']);
  });

  test('says that a file cannot be read which was removed after it was chosen', async () => {
    const file = path.join(await temporaryFolder(onTestFinished), 'hilang.jpg');
    await writeFile(file, randomBytes(10));
    const page = await open();
    await browser.network.cut();
    await dropPaths(page, [file]);
    await page.getByText('No connection.').waitFor();
    await rm(file);
    await browser.network.fast();
    await page.getByText('The file cannot be read.').waitFor();
    browser.takeTroubles();
  });

  test('waits for the network to come back', async () => {
    const page = await open();
    await choose(page, fileOf(10, 'first.bin'));
    await isDone(page, 'first.bin');
    await browser.network.cut();
    await choose(page, fileOf(10));
    await page.getByText('The upload resumes by itself once it is back.').waitFor();
    expect(browser.takeTroubles()).toEqual([expect.stringContaining('ERR_INTERNET_DISCONNECTED')]);
    await browser.network.fast();
    await isDone(page);
  });

  test('says that a file cannot be sent when the network is away before the first one is chosen', async () => {
    const page = await open(await browser.openPage(onTestFinished, {}));
    await page.route('**/uploads.js', (route) => route.abort('internetdisconnected'));
    await choose(page, fileOf(10));
    await expect.poll(() => notice(page)).toContain('No connection.');
    expect(browser.takeTroubles()).toEqual([expect.stringContaining('ERR_INTERNET_DISCONNECTED')]);
  });

  test('cancels an upload and keeps nothing of it', async () => {
    const before = await site.kept();
    const page = await open();
    await chooseSlowly(page);
    await expect.poll(site.kept).toSatisfy((files) => files.length > before.length);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => notice(page)).toBe(`“${NAME}” was cancelled. Nothing was kept.`);
    expect(await page.getByRole('region', { name: 'Your uploads' }).isVisible()).toBe(false);
    await expect.poll(site.kept).toHaveLength(before.length);
  });

  test('uploads a file that is pasted, and ignores a text that is pasted or dropped', async () => {
    const page = await open();
    await hand(page, 'paste');
    await hand(page, 'drop');
    expect(await page.getByRole('listitem').count()).toBe(0);
    await hand(page, 'paste', 'tangkapan layar.txt');
    await isDone(page, 'tangkapan layar.txt');
    expect(await (await fetch((await page.locator('a.direct').textContent())!)).text()).toBe('isi berkas');
  });

  test('has less than 16 KB of style and script on a first visit', async () => {
    const page = await open(await browser.openPage(onTestFinished, {}));
    // On a busy machine one that is preloaded has a second entry when it is used.
    const sizes: number[] = await page.evaluate(
      `[...new Map(performance.getEntriesByType('resource').map(({ name, decodedBodySize }) => [name, decodedBodySize])).values()]`,
    );
    expect(sizes).toHaveLength(6);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(16 * KB);
  });
});
