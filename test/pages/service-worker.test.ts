import type { Page } from 'playwright-core';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { openFrontProxy } from '../support/front-proxy.ts';
import { openNewsService } from '../support/news.ts';
import { openOnce } from '../support/until-end.ts';

/** As a page that was kept for two minutes: it is no longer fresh, and a browser may use it while it asks for another. */
const KEPT = { Age: '120' };

describeInBrowser('the service worker', (browser) => {
  const site = openOnce(openNewsService);
  const front = openOnce((defer) => openFrontProxy(defer, () => site.address));

  afterEach(() => front.passAll());

  /** Opens the front page twice: only the second time does the worker control it. */
  async function open(): Promise<Page> {
    const page = await browser.openPage(onTestFinished, {});
    await page.goto(`${front.origin}/?lang=id`);
    // A worker that is still activating does not control the next page.
    await expect
      .poll(() => page.evaluate('navigator.serviceWorker.ready.then(({ active }) => active.state)'))
      .toBe('activated');
    await page.reload();
    expect(await page.evaluate('Boolean(navigator.serviceWorker.controller)')).toBe(true);
    return page;
  }

  test('is one for both languages', async () => {
    const page = await browser.openPage(onTestFinished, {});
    // Notes what each page registers.
    await page.addInitScript(`{
      const { register } = ServiceWorkerContainer.prototype;
      ServiceWorkerContainer.prototype.register = function (address) {
        window.registered = address;
        return register.call(this, address);
      };
    }`);
    for (const lang of ['id', 'en', 'id']) {
      await page.goto(`${front.origin}/?lang=${lang}`);
      await page.waitForFunction('window.registered');
      expect(await page.evaluate('registered')).toBe('/service-worker.js');
      const states =
        await page.evaluate(`navigator.serviceWorker.ready.then(({ installing, waiting, active }) =>
        [installing, waiting, active].map((worker) => worker?.scriptURL.slice(location.origin.length)))`);
      expect(states).toEqual([undefined, undefined, '/service-worker.js']);
    }
  });

  test('shows a page as the server has it now to somebody who comes back, and the same one offline', async () => {
    front.addHeaders(KEPT);
    const page = await open();
    const { slug, title } = site.source.catalogue.anime[4]!;
    await page.locator(`#Timeline [data-star="${slug}"]`).first().dispatchEvent('click');
    const address = `${front.origin}/anime/${slug}?lang=id`;
    const shown = async () => {
      await page.goto(address);
      return page.locator('main').innerText();
    };
    const before = await shown();
    // A page is kept a moment after it was opened.
    await expect.poll(() => page.evaluate(`caches.match('/anime/${slug}?lang=id').then(Boolean)`)).toBe(true);
    await page.goto(`${front.origin}/?lang=id`);
    const { episode } = site.airEpisode(4);
    await site.refreshUntil(1);
    const after = await shown();
    expect(after).not.toBe(before);
    expect(after).toContain(`Episode ${episode}`);
    await expect
      .poll(() => page.evaluate(`caches.match('/anime/${slug}?lang=id').then((kept) => kept?.text())`))
      .toContain(`Episode ${episode}`);
    await page.goto(`${front.origin}/?lang=id`);
    await page.getByText(`Ep ${episode}`).first().waitFor({ state: 'attached' });
    front.decideBy(() => 'lost');
    const offline = await shown();
    expect(offline).toContain('Kamu sedang offline.');
    expect(offline).toContain(title);
    expect(offline).toContain(`Episode ${episode}`);
    browser.takeTroubles();
  });

  test('shows offline what is kept in the other language, and says in it that it does', async () => {
    const page = await open();
    await expect.poll(() => page.evaluate(`caches.match('/?lang=id').then(Boolean)`)).toBe(true);
    // A page that is open renews the copies; nothing of that may be half done when the network is lost.
    await page.goto('about:blank');
    front.decideBy(() => 'lost');
    await page.goto(`${front.origin}/?lang=en`);
    await page.getByText('Kamu sedang offline.').waitFor();
    browser.takeTroubles();
  });
});
