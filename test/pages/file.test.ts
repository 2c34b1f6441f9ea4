import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, openUploadSite } from '../support/browser.ts';
import { MP3, PNG, WEBM } from '../support/media-files.ts';
import { openOnce } from '../support/until-end.ts';

describeInBrowser('the page of a file', (browser) => {
  const site = openOnce((defer) => openUploadSite(defer));

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

  /** What the browser knows of a picture, a film and a song once it has them. */
  test.each([
    ['senja.png', PNG, '.picture img', 'naturalWidth', 320],
    ['liburan.webm', WEBM, 'video', 'videoWidth', 64],
    ['hening.mp3', MP3, 'audio, video', 'duration', 1.04],
  ])('previews %s', async (name, content, selector, property, value) => {
    const { page } = browser;
    const { url, url_file } = await site.upload(name, content);
    // Films and songs play at their own address, too, where nothing else may be loaded.
    for (const address of name === 'senja.png' ? [url] : [url, url_file]) {
      await page.goto(address);
      const known = () => page.evaluate(`document.querySelector('${selector}').${property}`);
      await expect.poll(known).toBeCloseTo(value, 1);
    }
  });

  test('moves nothing when the picture comes', async () => {
    const { url } = await site.upload('senja.png', PNG);
    const page = await browser.openPage(onTestFinished, { viewport: { width: 360, height: 740 } });
    await page.addInitScript(`window.shift = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (shift += value)))
        .observe({ type: 'layout-shift', buffered: true });`);
    await page.goto(url);
    await page.evaluate(`document.querySelector('.picture img').decode()`);
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await page.evaluate('shift')).toBeLessThan(0.1);
  });

  test.each([
    ['a text as it is, in any script', '\n  <b>satu</b> &amp; dua\n\tتيسير ✓\n', undefined],
    ['the beginning of a long text', 'é'.repeat(40_000), 'This is only the beginning'],
  ])('shows %s', async (_what, text, note) => {
    const page = await open('catatan.txt', text);
    expect(await page.locator('pre.preview').textContent()).toBe(text.slice(0, 32_768));
    expect(await page.getByText(note ?? 'This is only the beginning').count()).toBe(note ? 1 : 0);
  });

  test('shows a name that is markup on every page, and runs it on none', async () => {
    const { page } = browser;
    const name = '<img src=x onerror=alert(1)>';
    expect(await isLive(name)).toBe(true);
    const isHarmless = async () => {
      expect(await page.getByText(name).filter({ visible: true }).count()).toBeGreaterThan(0);
      expect(await page.locator('img[src=x]').count()).toBe(0);
    };
    await page.goto(site.origin);
    await page.setInputFiles('#file', { name, mimeType: 'text/html', buffer: Buffer.from('x') });
    await page.locator('.done:visible').waitFor();
    await isHarmless();
    const deletion = (await page.locator('.copy-deletion').getAttribute('data-copy')) ?? '';
    await page.goto((await page.locator('a.page').textContent())!);
    await isHarmless();
    expect(await page.title()).toBe(`${name} · Tayang`);
    await page.goto(deletion);
    await isHarmless();
  });

  const HTML = '<!doctype html><title>mine</title><body onload="alert(1)"><script>alert(2)</script>';
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>';

  test.each([
    ['halaman.html', HTML],
    ['halaman.xhtml', `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${SVG}</html>`],
    ['gambar.svg', SVG],
    ['gambar.svg', `<?xml version="1.0" standalone="no"?>\n${SVG}`],
  ])('shows a file with HTML as a text, as its direct address does: %s', async (name, content) => {
    const { page } = browser;
    expect(await isLive(content)).toBe(true);
    const { url, url_file: direct } = await site.upload(name, content);
    for (const address of [direct, url]) {
      await page.goto(address);
      expect(await page.locator('pre').textContent()).toBe(content);
      expect(await page.locator('script:not([src^="/assets/"]), svg, [onload]').count()).toBe(0);
    }
  });

  test('HTML that does not look like a text is saved, not shown', async () => {
    const { page } = browser;
    const { url_file: direct } = await site.upload('halaman.html', Buffer.from(`\ufeff${HTML}`, 'utf16le'));
    const [download] = await Promise.all([page.waitForEvent('download'), page.goto(direct).catch(() => {})]);
    expect(download.suggestedFilename()).toBe('halaman.html');
  });
});
