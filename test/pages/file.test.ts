import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, gifOf, openUploadSite, saidOf } from '../support/browser.ts';
import { temporaryFolder } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';
import { newId } from '../support/uploads.ts';

/** MPEG-1 layer III, 128 kbit/s, 44.1 kHz: a header, and nothing to hear. About a second of it. */
const SILENCE = Buffer.concat(
  Array(40).fill(Buffer.concat([Buffer.of(0xff, 0xfb, 0x90, 0x00), Buffer.alloc(413)])),
);

/** Records a quarter of a second of a canvas. */
const RECORD = `(async () => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 });
  const context = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: 'video/webm' });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.start();
  for (let frame = 0; frame < 10; frame += 1) {
    context.fillRect(frame, frame, 9, 9);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await new Promise((resolve) => { recorder.onstop = resolve; recorder.stop(); });
  return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
})()`;

describeInBrowser('the page of a file', (browser) => {
  const site = openOnce((defer) => openUploadSite(defer, { TIME_ZONE: 'Asia/Jakarta' }));

  async function open(name: string, content: string | Buffer): Promise<Page> {
    await browser.page.goto((await site.upload(name, content)).url);
    return browser.page;
  }

  /** Whether it runs where it is taken for markup: if not, it proves nothing that it does not run with us. */
  async function isLive(content: string): Promise<boolean> {
    await browser.page.goto('about:blank');
    await browser.page.setContent(content);
    await browser.page.goto('about:blank');
    return browser.takeTroubles().includes('dialog: alert');
  }

  test('a video plays at its own address too, where nothing else may be loaded', async () => {
    const { page } = browser;
    const video = await page.evaluate<number[]>(RECORD);
    const { url_file } = await site.upload('liburan.webm', Buffer.from(video));
    await page.goto(url_file);
    await expect.poll(() => page.evaluate("document.querySelector('video').videoWidth")).toBe(64);
    await page.goto((await site.upload('hening.mp3', SILENCE)).url_file);
    await expect
      .poll(() => page.evaluate("document.querySelector('video, audio').duration"))
      .toBeCloseTo(1.04, 1);
  });

  describe('previews', () => {
    /** What the element knows of its content once it has it. */
    const known = (page: Page, selector: string, property: string) =>
      expect.poll(() => page.evaluate(`document.querySelector('${selector}').${property}`));

    test('an image', async () => {
      const page = await open('senja.gif', gifOf(640, 480));
      await known(page, 'img.preview', 'naturalWidth').toBe(640);
      expect(await page.getByRole('img', { name: 'senja.gif' }).isVisible()).toBe(true);
    });

    test('a video', async () => {
      const { page } = browser;
      const video = await page.evaluate<number[]>(RECORD);
      await page.goto((await site.upload('liburan.webm', Buffer.from(video))).url);
      await known(page, 'video.preview', 'videoWidth').toBe(64);
      expect(await page.locator('video').getAttribute('controls')).toBe('');
    });

    test('an audio file', async () => {
      const page = await open('hening.mp3', SILENCE);
      await known(page, 'audio.preview', 'duration').toBeCloseTo(1.04, 1);
      expect(await page.locator('audio').getAttribute('controls')).toBe('');
    });

    test('a text as it is, in any script', async () => {
      const text = '\n  <b>satu</b> &amp; dua\n\tتيسير ✓\n';
      const page = await open('catatan.txt', text);
      expect(await page.locator('pre.preview').textContent()).toBe(text);
      expect(await page.getByText('This is the beginning of the file').count()).toBe(0);
    });

    test('the beginning of a long text', async () => {
      const page = await open('panjang.log', 'é'.repeat(40_000));
      expect(await page.locator('pre.preview').textContent()).toBe('é'.repeat(32_768));
      expect(await page.getByText('This is the beginning of the file').isVisible()).toBe(true);
    });

    test('no other type, and the page says so', async () => {
      const page = await open('arsip.zip', Buffer.from('PK\x03\x04\x00\x00'));
      expect(await page.locator('.preview').count()).toBe(0);
      expect(await page.getByText('There is no preview of this type.').isVisible()).toBe(true);
    });
  });

  test('shows its size, type, expiry, SHA-256 and address', async () => {
    const page = await open('catatan.txt', 'isi berkas');
    const terms = await page.getByRole('term').allInnerTexts();
    const facts = await page.getByRole('definition').allInnerTexts();
    expect(Object.fromEntries(terms.map((term, index) => [term, facts[index]]))).toEqual({
      Size: '10 B',
      Type: 'text/plain; charset=utf-8',
      Expires: expect.stringMatching(/^in 24 hours, \d\d:\d\d GMT\+7$/u),
      'SHA-256': createHash('sha256').update('isi berkas').digest('hex'),
      'This page': page.url(),
    });
    expect(await page.title()).toBe('catatan.txt · Tayang');
  });

  test('has a QR code', async () => {
    const page = await open('catatan.txt', 'isi berkas');
    const code = page.getByRole('img', { name: "QR code of this page's address" });
    expect(await code.boundingBox()).toMatchObject({ width: 168, height: 168 });
    expect(await page.evaluate('document.querySelector(".qr").naturalWidth')).toBeGreaterThan(0);
  });

  test('downloads it under its name', async () => {
    const page = await open('laporan "akhir" – ١.txt', 'isi berkas');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download (10 B)' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^laporan .akhir. – ١\.txt$/u);
    const saved = path.join(await temporaryFolder(onTestFinished), 'saved');
    await download.saveAs(saved);
    expect(await readFile(saved, 'utf8')).toBe('isi berkas');
  });

  test('answers 404 and 410 as pages once the file is gone', async () => {
    const { page } = browser;
    const { url, deletion } = await site.upload('catatan.txt', 'isi berkas');
    await fetch(deletion, { method: 'DELETE' });
    await page.goto(url);
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    expect(await page.getByText('There is no such file: it was deleted, or never existed.').isVisible()).toBe(
      true,
    );
    await page.goto(`${site.origin}/${newId(Date.now() - 1)}`);
    await page.getByRole('heading', { name: 'It has expired' }).waitFor();
    await page.getByRole('link', { name: 'To the front page' }).click();
    await page.getByRole('heading', { name: 'Upload files' }).waitFor();
    expect(browser.takeTroubles()).toEqual([saidOf(404), saidOf(410)]);
  });

  describe('a name that is markup', () => {
    const NAME = '<img src=x onerror=alert(1)>';

    test('is shown on every page, and runs on none', async () => {
      const { page } = browser;
      expect(await isLive(NAME)).toBe(true);
      const isHarmless = async () => {
        expect(await page.getByText(NAME).filter({ visible: true }).count()).toBeGreaterThan(0);
        expect(await page.locator('img[src=x]').count()).toBe(0);
      };
      await page.goto(site.origin);
      await page.setInputFiles('#file', { name: NAME, mimeType: 'text/html', buffer: Buffer.from('x') });
      await page.locator('.links:visible').waitFor();
      await isHarmless();
      const deletion = (await page.locator('.copy-deletion').getAttribute('data-copy')) ?? '';
      await page.goto(await page.locator('a.page').innerText());
      await isHarmless();
      expect(await page.title()).toBe(`${NAME} · Tayang`);
      await page.goto(deletion);
      await isHarmless();
    });
  });

  describe('a file with HTML', () => {
    const PAGE = '<!doctype html><title>mine</title><body onload="alert(1)"><script>alert(2)</script>';
    const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>';

    test.each([
      ['halaman.html', PAGE],
      ['halaman.xhtml', `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${SVG}</html>`],
      ['gambar.svg', SVG],
      ['gambar.svg', `<?xml version="1.0" standalone="no"?>\n${SVG}`],
    ])('is a text at its direct address, and on its page: %s', async (name, content) => {
      const { page } = browser;
      expect(await isLive(content)).toBe(true);
      const { url, url_file: direct } = await site.upload(name, content);
      for (const address of [direct, url]) {
        await page.goto(address);
        expect(await page.locator('pre').textContent()).toBe(content);
        expect(await page.locator('script:not([src^="/assets/"]), svg, [onload]').count()).toBe(0);
      }
    });

    test('is saved, not shown, when it does not look like a text', async () => {
      const { page } = browser;
      const { url_file: direct } = await site.upload('halaman.html', Buffer.from(`\ufeff${PAGE}`, 'utf16le'));
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.goto(direct).catch(() => {}),
      ]);
      expect(download.suggestedFilename()).toBe('halaman.html');
    });
  });
});
