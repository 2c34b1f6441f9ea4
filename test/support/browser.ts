import { existsSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterEach, expect, inject, onTestFinished } from 'vitest';
import { CHROMIUM } from './browser-server.ts';
import type { Defer } from './defer.ts';
import { describeWith } from './needs.ts';
import { openOnce } from './until-end.ts';
import { openUploads } from './upload-client.ts';

/** `describe` for tests that need Chromium. After each test, its pages have no troubles but those that it took. */
export function describeInBrowser(name: string, tests: (browser: TestBrowser) => void): void {
  describeWith(existsSync(CHROMIUM), `${CHROMIUM}: install Chromium, or set CHROMIUM_PATH`)(name, () => {
    const browser = openOnce(openTestBrowser);
    afterEach(() => expect(browser.takeTroubles()).toEqual([]));
    tests(browser);
  });
}

export type TestBrowser = Awaited<ReturnType<typeof openTestBrowser>>;

/** Opens pages of the shared Chromium for all tests of a file. */
async function openTestBrowser(defer: Defer) {
  const browser = await chromium.connect(inject('browserAddress'));
  defer(() => browser.close());
  let troubles: string[] = [];

  /** Opens another page, for a visitor with other settings. */
  async function openPage(defer: Defer, options: BrowserContextOptions): Promise<Page> {
    const page = await browser.newPage(options);
    defer(() => page.close());
    watch(page, (trouble) => troubles.push(trouble));
    return page;
  }

  const page = await openPage(defer, {});
  return {
    /** The page that all tests of a file use in turn, because opening one takes longer than most tests. */
    page,
    /** The network of that page, which a test may slow down or cut, and then restores. */
    network: await openNetwork(page),
    openPage,
    /** Opens another page at an address, for the length of a test. */
    async visit(address: string, options: BrowserContextOptions = {}): Promise<Page> {
      const page = await openPage(onTestFinished, options);
      await page.goto(address);
      return page;
    },
    /** Returns and clears the errors of pages since the last call. A test that expects errors calls it itself. */
    takeTroubles(): string[] {
      const taken = troubles;
      troubles = [];
      return taken;
    },
  };
}

/** Reports dialogs, uncaught errors and errors in Chromium's console, for example from the policy or a 404. */
function watch(page: Page, tell: (trouble: string) => void): void {
  page.on('pageerror', (error) => tell(`uncaught: ${error.message}`));
  page.on('dialog', (dialog) => {
    tell(`dialog: ${dialog.type()}`);
    void dialog.accept().catch(() => {});
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') tell(`console: ${message.text()}`);
  });
}

/** The console message of Chromium for a response with an error status. */
export function saidOf(status: number): string {
  return `console: Failed to load resource: the server responded with a status of ${status} (${STATUS_CODES[status]})`;
}

async function openNetwork(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const become = async (offline: boolean, uploadThroughput = -1) => {
    const conditions = { offline, uploadThroughput, latency: 0, downloadThroughput: -1 };
    await session.send('Network.emulateNetworkConditions', conditions);
  };
  return {
    /** Limits uploads to this rate. */
    slow: (bytesPerSecond: number) => become(false, bytesPerSecond),
    cut: () => become(true),
    fast: () => become(false),
  };
}

/** A file that was uploaded, by the addresses of its page, its bytes and its deletion. */
export interface Uploaded {
  url: string;
  url_file: string;
  deletion: string;
}

export type UploadSite = Awaited<ReturnType<typeof openUploadSite>>;

/** Opens the uploads at their public origin, as links have it. */
export async function openUploadSite(defer: Defer, environment: Record<string, string> = {}) {
  const { origin: address, upload, kept } = await openUploads(defer, environment);
  const origin = address.replace('127.0.0.1', 'localhost');
  return {
    origin,
    kept,
    /** Uploads without a browser. */
    async upload(name: string, content: string | Buffer): Promise<Uploaded> {
      const { result, deletion } = await upload(content, { name });
      return { url: result.url, url_file: result.url_file, deletion: origin + deletion };
    },
  };
}
