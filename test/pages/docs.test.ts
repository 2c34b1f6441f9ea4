import { expect, onTestFinished, test } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { openHttpServer } from '../support/http-server.ts';
import { openReadyService, readJson } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

describeInBrowser('the page of the API', (browser) => {
  const site = openOnce((defer) => openReadyService(defer, { SERVE: 'listing,refresh' }));

  const open = (path: string, options = {}) => browser.visit(site.address + path, options);

  test.each(['id', 'en'])('is short on a phone (%s)', async (lang) => {
    const page = await open(`/docs?lang=${lang}`, { viewport: { width: 360, height: 740 } });
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(15_000);
  });

  test('has a curl line and an answer of each operation that has one', async () => {
    const page = await open('/docs?lang=en');
    await page.getByText('GET /api/anime/schedule').click();
    const entry = page.locator('#getSchedule');
    expect(await entry.locator('pre').first().innerText()).toMatch(
      /^curl 'http:\/\/localhost:\d+\/api\/anime\/schedule'$/u,
    );
    expect(JSON.parse(await entry.locator('pre').nth(1).innerText())).toMatchObject({ status: true });
  });

  test('unfolds the entry that a link names', async () => {
    const page = await open('/docs?lang=en#getAnime');
    await page.locator('#getAnime').getByText('The slug of an anime').waitFor();
    await page.locator('#getAnime').getByRole('link', { name: 'Anime', exact: true }).click();
    await page.locator('#schema-Anime').waitFor();
  });

  test('can be read without JavaScript', async () => {
    const page = await open('/docs?lang=en#upload', { javaScriptEnabled: false });
    expect(
      await page.getByText('The body is not multipart/form-data, or has a Content-Encoding.').isVisible(),
    ).toBe(true);
    await page.getByText('GET /api/anime/schedule').click();
    await page.locator('#getSchedule').waitFor();
  });

  test('copies the code of a task', async () => {
    const page = await open('/docs?lang=en', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page
      .locator('summary')
      .filter({ hasText: /^Python$/u })
      .click();
    const task = page.locator('#task-python');
    await task.getByRole('button', { name: 'Copy' }).first().click();
    await task.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      await task.locator('pre').first().innerText(),
    );
  });

  test('has code that shows today on a page of any origin', async () => {
    const docs = await open('/docs?lang=en');
    const code = await docs.locator('pre').filter({ hasText: '<ul id="today">' }).innerText();
    const fans = await openHttpServer(onTestFinished, (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(`<!doctype html>${code}`);
    });
    const page = await browser.openPage(onTestFinished, {});
    await page.goto(fans);
    const { data } = await readJson(fetch(`${site.address}/api/anime/releases`));
    const today = new Date().toLocaleDateString('en-CA', { timeZone: 'Asia/Jakarta' });
    const releases = data.filter(({ day }: { day: string }) => day === today);
    const titles = releases.map(({ title }: { title: string }) => title);
    await page
      .locator('#today a')
      .nth(titles.length - 1)
      .waitFor();
    expect(await page.locator('#today a').allInnerTexts()).toEqual(titles);
  });
});
