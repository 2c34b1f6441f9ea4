import { expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, saidOf } from '../support/browser.ts';
import { findAxeViolations } from '../support/page-rules.ts';
import { openReadyService } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

describeInBrowser('the front page', (browser) => {
  const site = openOnce((defer) => openReadyService(defer, { SERVE: 'listing,refresh' }));

  const open = (path = '/', options = {}) =>
    browser.visit(site.address + path, { locale: 'id-ID', ...options });

  test('axe finds a problem that was put in', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Cari' }).click();
    await page.evaluate('document.querySelector("#OnlyMine").parentElement.lastChild.remove()');
    expect(await findAxeViolations(page)).toEqual([expect.stringMatching(/^label: /u)]);
  });

  test('is where the page of an error leads, which is there in the other language, too', async () => {
    const page = await open('/api/anime/home?page=99');
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(page.url()).toBe(`${site.address}/api/anime/home?page=99&lang=en`);
    await page.getByRole('link', { name: 'Bahasa Indonesia' }).click();
    await page.getByRole('link', { name: 'Ke beranda' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tayang berikutnya' }).waitFor();
    expect(browser.takeTroubles()).toEqual([saidOf(404), saidOf(404), saidOf(404)]);
  });

  test('shows an anime that the search left out again when an address leads to it', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Cari' }).click();
    await page.getByRole('searchbox').fill('ubermorgen');
    expect(await page.locator('#Timeline .title:visible').first().innerText()).toMatch(/Übermorgen$/u);
    await page.getByRole('searchbox').fill('zzz');
    const { slug = '' } = site.source.catalogue.anime[9] ?? {};
    await page.evaluate(`location.hash = ${JSON.stringify(slug)}`);
    expect(await page.locator('.rows li:target').getAttribute('id')).toBe(slug);
    expect(await page.locator('.rows li:target').isVisible()).toBe(true);
  });

  test('requests only its own origin, and covers of the source without a referrer', async () => {
    const page = await browser.openPage(onTestFinished, {});
    const asked: { origin: string; path: string; referrer: string | undefined }[] = [];
    page.on('request', (request) => {
      const { origin, pathname, protocol } = new URL(request.url());
      if (protocol !== 'data:') asked.push({ origin, path: pathname, referrer: request.headers().referer });
    });
    await page.goto(site.address);
    const elsewhere = () => asked.filter(({ origin }) => origin !== site.address);
    await expect.poll(() => elsewhere().length).toBeGreaterThan(3);
    await page.waitForLoadState('networkidle');
    for (const { origin, path, referrer } of elsewhere()) {
      expect([origin, referrer || undefined]).toEqual([site.source.origin, undefined]);
      expect(path).toMatch(/^\/wp-content\/uploads\//u);
    }
  });

  test.each(['the front page', 'the page of an anime'])('%s has no broken link', async (name) => {
    const [anime] = site.source.catalogue.anime;
    const page = await open(name === 'the front page' ? '/' : `/anime/${anime?.slug}`);
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a[href], link[href]')].map((one) => one.href)`,
    );
    // Its public address is another name of this one.
    const { port } = new URL(site.address);
    const own = new Set(
      links.map((href) => href.replace(/^webcal:/u, 'http:')).filter((href) => new URL(href).port === port),
    );
    expect(own.size).toBeGreaterThan(5);
    for (const href of own) expect([href, (await fetch(href)).status]).toEqual([href, 200]);
  });

  test('leads to the page of an anime from every part of a row', async () => {
    const page = await open('/?lang=en');
    const targets = await page.evaluate<string[]>(
      `[...document.querySelectorAll('#Timeline .rows > li .title')].map((one) => one.pathname)`,
    );
    expect(targets.length).toBeGreaterThan(131);
    expect(targets.filter((target) => !target.startsWith('/anime/'))).toEqual([]);
    const row = page.locator('#Today .rows > li').first();
    // Beside its link, whose area is laid out only when the row has come into view.
    const beside = { position: { x: 30, y: 40 } };
    await row.hover(beside);
    await row.click(beside);
    await page.getByRole('heading', { name: 'Episodes', exact: true }).waitFor();
  });
});
