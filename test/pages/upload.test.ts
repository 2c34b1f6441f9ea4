import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  describeInBrowser,
  openTestBrowser,
  openUploadSite,
  saidOf,
  type TestBrowser,
  type UploadSite,
} from '../support/browser.ts';
import { temporaryFolder } from '../support/service.ts';

const KB = 1024;
const NAME = 'Catatan harian, 1 Nov.bin';

function fileOf(bytes: number, name = NAME) {
  return { name, mimeType: 'application/octet-stream', buffer: randomBytes(bytes) };
}

describeInBrowser('the front page of the uploads', () => {
  let browser: TestBrowser;
  let site: UploadSite;
  let storage: string;

  beforeAll(async () => {
    storage = await temporaryFolder(afterAll);
    browser = await openTestBrowser(afterAll);
    site = await openUploadSite(afterAll, {
      UPLOAD_MAX_SIZE: '1 MB',
      UPLOAD_STORAGE_URL: `file:${storage}`,
      TIME_ZONE: 'UTC',
    });
  });

  afterEach(async () => {
    await browser.network.fast();
    expect(browser.takeTroubles()).toEqual([]);
  });

  async function open(page = browser.page): Promise<Page> {
    await page.goto(site.origin);
    return page;
  }

  const choose = (page: Page, file: ReturnType<typeof fileOf>) => page.setInputFiles('#file', file);
  const notice = (page: Page) => page.getByRole('alert').innerText();
  const isDone = (page: Page, name = NAME) =>
    page.getByRole('heading', { name: `Uploaded ${name}`, exact: true }).waitFor();
  const isReady = (page: Page) => page.getByLabel('Choose a file').waitFor();

  /** An upload that would take twenty seconds, in the middle. */
  async function chooseSlowly(page: Page) {
    await browser.network.slow(50 * KB);
    await choose(page, fileOf(1000 * KB));
    await page.getByText('s left').waitFor();
  }

  /** As if somebody had dropped or pasted them; tells whether the browser would then do what browsers do. */
  const hand = (page: Page, kind: 'dragover' | 'drop' | 'paste', ...names: string[]) =>
    page.evaluate<boolean>(`(() => {
      const data = new DataTransfer();
      for (const name of ${JSON.stringify(names)}) data.items.add(new File(['isi berkas'], name));
      const Kind = ${kind === 'paste' ? 'ClipboardEvent' : 'DragEvent'};
      const about = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
      return document.querySelector('h1').dispatchEvent(new Kind('${kind}', about));
    })()`);

  test('shows the progress of an upload, its rate and the remaining time', async () => {
    const page = await open();
    await chooseSlowly(page);
    const bar = page.getByRole('progressbar', { name: 'Progress of the upload' });
    const seen = new Set<number>();
    while (seen.size < 4)
      seen.add(await bar.evaluate((element) => (element as { value?: number }).value ?? 0));
    expect([...seen]).toEqual([...seen].sort());
    expect(Math.max(...seen)).toBeLessThan(1);
    expect(await page.getByRole('heading', { level: 2 }).first().innerText()).toBe(`Uploading\n${NAME}`);
    expect(await page.locator('#upload-status').innerText()).toMatch(
      /^\d+ KB of 1001 KB\s+\d+ KB\/s, \d+s left$/u,
    );
    await browser.network.fast();
    await isDone(page);
    expect(await bar.isVisible()).toBe(false);
  });

  test('gives addresses that work', async () => {
    const page = await open();
    const file = fileOf(3_000);
    await choose(page, file);
    await isDone(page);
    const direct = await page.locator('#direct').innerText();
    expect(Buffer.from(await (await fetch(direct)).arrayBuffer())).toEqual(file.buffer);
    expect(direct).toBe(await page.locator('#direct').getAttribute('href'));
    expect(await page.locator('#expires').innerText()).toMatch(/^in 24 hours, \d\d:\d\d UTC$/u);
    const deletion = await page.locator('#deletion').innerText();
    await page.locator('#page').click();
    await page.getByRole('heading', { name: NAME }).waitFor();
    await page.goto(deletion);
    await page.getByRole('heading', { name: 'Delete this file?' }).waitFor();
  });

  test('copies an address', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await open(await browser.openPage(onTestFinished, { permissions }));
    await choose(page, fileOf(10));
    await isDone(page);
    const [, copy] = await page.getByRole('button', { name: 'Copy' }).all();
    await copy!.click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const direct = await page.locator('#direct').getAttribute('href');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(direct);
  });

  test('deletes the file that it has just uploaded', async () => {
    const page = await open();
    await choose(page, fileOf(10));
    await isDone(page);
    const address = await page.locator('#page').innerText();
    expect((await fetch(address)).status).toBe(200);
    await page.getByRole('button', { name: 'Delete it' }).click();
    await isReady(page);
    expect(await notice(page)).toBe('Deleted. The file is gone.');
    expect((await fetch(address)).status).toBe(404);
  });

  test('keeps the addresses of a file that it could not delete', async () => {
    const page = await open();
    await choose(page, fileOf(10));
    await isDone(page);
    await browser.network.cut();
    await page.getByRole('button', { name: 'Delete it' }).click();
    expect(await notice(page)).toBe('It could not be deleted. Try again.');
    expect(browser.takeTroubles()).toEqual([expect.stringContaining('ERR_INTERNET_DISCONNECTED')]);
    await browser.network.fast();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await isReady(page);
    expect(await notice(page)).toBe('Deleted. The file is gone.');
  });

  test('uploads another file after the first', async () => {
    const page = await open();
    await choose(page, fileOf(10));
    await isDone(page);
    const first = await page.locator('#page').innerText();
    await page.getByRole('button', { name: 'Upload another' }).click();
    await choose(page, fileOf(20));
    await isDone(page);
    expect(await page.locator('#page').innerText()).not.toBe(first);
  });

  test('refuses a file that is too large with a message, without sending it', async () => {
    const page = await open();
    const posts: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
    await choose(page, fileOf(1024 * KB + 1));
    const refusal = `“${NAME}” is too large: it has 1.1 MB, and a file may have up to 1 MB.`;
    expect(await notice(page)).toBe(refusal);
    expect(posts).toEqual([]);
    await choose(page, fileOf(1024 * KB));
    await isDone(page);
    expect(posts).toHaveLength(1);
    expect(await page.getByRole('alert').isVisible()).toBe(false);
  });

  test('shows the reason of a refusal by the server', async () => {
    const limited = await openUploadSite(onTestFinished, { UPLOAD_RATE_LIMIT: '1' });
    await limited.upload('satu.txt', 'satu');
    const { page } = browser;
    await page.goto(limited.origin);
    await choose(page, fileOf(10));
    expect(await notice(page)).toMatch(/^Too many uploads from your address; try again in \d\d s\.$/u);
    await isReady(page);
    expect(browser.takeTroubles()).toEqual([saidOf(429)]);
  });

  test('says that a file could not be sent', async () => {
    const page = await open();
    await browser.network.cut();
    await choose(page, fileOf(10));
    expect(await notice(page)).toContain('The file could not be sent.');
    expect(browser.takeTroubles()).toEqual([expect.stringContaining('ERR_INTERNET_DISCONNECTED')]);
    await browser.network.fast();
    await choose(page, fileOf(10));
    await isDone(page);
  });

  test('cancels an upload and keeps nothing of it', async () => {
    const filesKept = async () => {
      const entries = await readdir(storage, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    };
    const before = await filesKept();
    const page = await open();
    await chooseSlowly(page);
    await expect.poll(filesKept).toSatisfy((files) => files.length > before.length);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await isReady(page);
    expect(await notice(page)).toBe('Cancelled. Nothing was kept.');
    await expect.poll(filesKept).toHaveLength(before.length);
  });

  test('asks before an upload is lost with its page', async () => {
    const page = await open();
    await chooseSlowly(page);
    await page.getByRole('heading', { level: 1 }).click();
    await page.goto('about:blank');
    expect(browser.takeTroubles()).toEqual(['dialog: beforeunload']);
  });

  test.each(['drop', 'paste'] as const)('uploads a file by %s', async (kind) => {
    const page = await open();
    await hand(page, kind, 'tangkapan layar.txt');
    await isDone(page, 'tangkapan layar.txt');
    expect(await (await fetch(await page.locator('#direct').innerText())).text()).toBe('isi berkas');
  });

  test('shows where to drop a file', async () => {
    const page = await open();
    const border = () => page.evaluate('getComputedStyle(document.getElementById("drop")).borderTopColor');
    const before = await border();
    await hand(page, 'dragover', 'satu.txt');
    expect(await border()).not.toBe(before);
    await page.dispatchEvent('h1', 'dragleave');
    expect(await border()).toBe(before);
  });

  test('keeps the browser from opening a dropped file', async () => {
    const page = await open();
    expect(await hand(page, 'dragover', 'satu.txt')).toBe(false);
    expect(await hand(page, 'drop', 'satu.txt')).toBe(false);
    await isDone(page, 'satu.txt');
  });

  test('takes one file at a time', async () => {
    const page = await open();
    await hand(page, 'drop', 'satu.txt', 'dua.txt');
    expect(await notice(page)).toBe('One file at a time, please. Nothing was uploaded.');
    await chooseSlowly(page);
    await hand(page, 'drop', 'tiga.txt');
    await browser.network.fast();
    await isDone(page);
  });

  test('ignores a text that is pasted or dropped', async () => {
    const page = await open();
    await hand(page, 'paste');
    await hand(page, 'drop');
    await isReady(page);
    expect(await page.getByRole('alert').isVisible()).toBe(false);
  });

  test('has less than 16 KB of style and script on a first visit', async () => {
    const page = await open(await browser.openPage(onTestFinished, {}));
    // On a busy machine one that is preloaded has a second entry when it is used.
    const sizes: number[] = await page.evaluate(
      `[...new Map(performance.getEntriesByType('resource').map(({ name, decodedBodySize }) => [name, decodedBodySize])).values()]`,
    );
    expect(sizes).toHaveLength(4);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(16 * KB);
  });
});
