import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { openHttpServer } from '../support/http-server.ts';
import { openNewsService } from '../support/news.ts';
import { findAxeViolations } from '../support/page-rules.ts';
import { openOnce } from '../support/until-end.ts';

const PHONE = { width: 360, height: 740 };

describeInBrowser('the own anime', (browser) => {
  const site = openOnce(openNewsService);

  const open = (path = '/?lang=id') =>
    browser.visit(site.address + path, { locale: 'id-ID', viewport: PHONE });

  const anime = (place: number) => site.source.catalogue.anime[place]!;
  const star = (page: Page, place: number) =>
    page.locator(`#Timeline [data-slug="${anime(place).slug}"] .star`).first();
  /** Whatever day it is on. */
  const follow = (page: Page, place: number) => star(page, place).dispatchEvent('click');
  const mine = (page: Page) => page.locator('#Mine .title').allTextContents();

  test('are followed by their stars, come first, and have a calendar of their own', async () => {
    const page = await open();
    for (const place of [2, 5]) await follow(page, place);
    expect(await star(page, 2).getAttribute('aria-pressed')).toBe('true');
    await page.reload();
    expect((await mine(page)).toSorted()).toEqual([anime(2).title, anime(5).title].toSorted());
    const links = page.locator('#Offer .links a');
    const path = `/feeds/schedule.ics?slug=${anime(2).slug}&slug=${anime(5).slug}`;
    expect(await links.first().getAttribute('href')).toMatch(/^webcal:/u);
    for (const link of await links.all()) expect(await link.getAttribute('href')).toContain(path);
    await page.getByRole('button', { name: 'Cari' }).click();
    await page.getByLabel('Diikuti', { exact: true }).check();
    const shown = await page.locator('#Timeline .rows > li:visible .title').allTextContents();
    expect(new Set(shown)).toEqual(new Set([anime(2).title, anime(5).title]));
    expect(await findAxeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cari' }).click();
    await page.locator('#MineTab').click();
    await page.locator(`#Mine [data-slug="${anime(2).slug}"] .star`).click();
    await page.locator('.tabs a[href="#Today"]').click();
    await page.locator('#MineTab').click();
    expect(await mine(page)).toEqual([anime(5).title]);
  });

  test('can be followed where storage is full, for as long as the page is open', async () => {
    const page = await open();
    await follow(page, 2);
    await page.evaluate(`for (let size = 1024 * 1024; size > 0; size = Math.floor(size / 2))
      try { for (;;) localStorage.setItem('full' + Math.random(), 'x'.repeat(size)); } catch {}`);
    await follow(page, 5);
    expect(await star(page, 5).getAttribute('aria-pressed')).toBe('true');
    expect((await mine(page)).toSorted()).toEqual([anime(2).title, anime(5).title].toSorted());
    await follow(page, 2);
    expect(await mine(page)).toEqual([anime(5).title]);
  });

  test('are in the fragment of a link, and are followed only after a confirmation', async () => {
    const slugs = [anime(1).slug, anime(3).slug].join(',');
    const page = await open(`/?lang=id#mine=${slugs},<script>,${anime(1).slug.toUpperCase()}`);
    expect(await mine(page)).toEqual([]);
    await page.getByRole('button', { name: 'Ikuti 2 anime dari link ini' }).click();
    expect((await mine(page)).toSorted()).toEqual([anime(1).title, anime(3).title].toSorted());
    expect(page.url()).not.toContain('#');
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: async (text) => { window.copied = text; } } })`);
    await page.locator('#MineTab').click();
    await page.getByRole('button', { name: 'Salin link daftar ini' }).click();
    await page.getByRole('button', { name: 'Link disalin' }).waitFor();
    // With the last episode that was watched of each.
    const watched = new RegExp(`/\\?lang=id#mine=${anime(1).slug}:\\d+,${anime(3).slug}:\\d+$`, 'u');
    expect(await page.evaluate('copied')).toMatch(watched);
    // As over plain HTTP.
    await page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await page.reload();
    await page.locator('#MineTab').click();
    await page.getByRole('button', { name: 'Salin link daftar ini' }).click();
    await page.waitForURL(watched);
  });

  test('show a new episode while the page is open', async () => {
    const page = await open();
    await Promise.all([page.waitForResponse('**/api/anime/events/stream'), follow(page, 4)]);
    await page.locator('#MineTab').click();
    const { title, episode } = site.airEpisode(4);
    await site.refreshUntil(1);
    const row = page.locator('#Mine li', { hasText: title });
    await row.getByText(`Ep ${episode}`).waitFor();
    const released = page.locator('#Timeline li.out', { hasText: title }).last();
    for (const one of [row, released]) {
      expect(await one.locator('.when').textContent()).toMatch(/^Rilis (\w{3} )?\d\d\.\d\d$/u);
      expect(await one.locator('.episode').textContent()).toMatch(new RegExp(`^Ep ${episode}(?! &)`, 'u'));
    }
    await row.getByText(`Belum ditonton: Ep ${episode}`).waitFor();
    expect(await page.locator('#Unwatched').innerText()).toContain(title);
    expect(await page.locator('#Status').innerText()).toContain('Ada yang baru.');
  });

  test('are followed on their own pages, too', async () => {
    const page = await open(`/anime/${anime(7).slug}?lang=id`);
    await page.getByRole('button', { name: 'Ikuti' }).click();
    await page.getByRole('link', { name: 'Tayang' }).click();
    await page.locator('#Mine .title').waitFor({ state: 'attached' });
    expect(await mine(page)).toEqual([anime(7).title]);
  });

  test('open offline with the front page and their pages, which say of when they are', async () => {
    const page = await browser.openPage(onTestFinished, { locale: 'id-ID', viewport: PHONE });
    // What cuts the network of a page leaves that of its service worker.
    let isOffline = false;
    const proxy = await openHttpServer(onTestFinished, async (request, response) => {
      if (isOffline) return void request.socket.destroy();
      const answer = await fetch(site.address + request.url);
      const names = ['content-type', 'date', 'content-security-policy'];
      const headers = names.map((name) => [name, answer.headers.get(name) ?? '']);
      response.writeHead(answer.status, Object.fromEntries(headers)).end(await answer.bytes());
    });
    const address = proxy.replace('127.0.0.1', 'localhost');
    await page.goto(`${address}/?lang=id`);
    const path = `/anime/${anime(6).slug}?lang=id`;
    const isKept = (one: string) => page.evaluate(`caches.match('${one}').then(Boolean)`);
    await expect.poll(() => isKept('/?lang=id')).toBe(true);
    await page.goto(address + path);
    await page.getByRole('button', { name: 'Ikuti' }).click();
    await expect.poll(() => isKept(path)).toBe(true);
    await page.evaluate('navigator.serviceWorker.ready');
    isOffline = true;
    for (const [at, heading] of [
      ['/?lang=id', 'Tayang berikutnya'],
      ['/', 'Tayang berikutnya'],
      [path, anime(6).title],
    ]) {
      await page.goto(address + at);
      await page.getByRole('heading', { level: 1, name: heading! }).waitFor();
      await page.getByText(/^Kamu sedang offline\. Isi halaman ini dari \d/u).waitFor();
      expect(await page.evaluate("getComputedStyle(document.querySelector('.cover')).borderRadius")).not.toBe(
        '0px',
      );
    }
    // One that was not visited says so, under its own address.
    const other = `${address}/anime/${anime(7).slug}?lang=id`;
    await page.goto(other);
    await page.getByRole('heading', { level: 1, name: 'Kamu sedang offline' }).waitFor();
    expect(page.url()).toBe(other);
    browser.takeTroubles();
  });

  test('cost no page that was not opened', async () => {
    const page = await open();
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    for (const place of [1, 2, 3, 4, 5]) await follow(page, place);
    await page.reload({ waitUntil: 'networkidle' });
    expect(paths.filter((path) => path.startsWith('/anime'))).toEqual([]);
  });

  test('of a link come with what was watched of them', async () => {
    const page = await open(`/?lang=id#mine=${anime(1).slug}:1,${anime(3).slug}:9999`);
    await page.getByRole('button', { name: 'Ikuti 2 anime dari link ini' }).click();
    expect(await page.locator('#Unwatched .title').allTextContents()).toEqual([anime(1).title]);
    await page.locator('#Unwatched').getByText(/^Ep 2/u).waitFor();
  });
});
