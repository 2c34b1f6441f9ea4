import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, saidOf } from '../support/browser.ts';
import { openDiscord, type TestDiscord } from '../support/discord.ts';
import { openReadyService } from '../support/service.ts';
import { untilEnd } from '../support/until-end.ts';

const PHONE = { viewport: { width: 360, height: 740 } };
const defer = untilEnd();
let discord: TestDiscord;
let service: Awaited<ReturnType<typeof openReadyService>>;

beforeAll(async () => {
  discord = await openDiscord(defer);
  service = await openReadyService(defer, { CHANNELS: 'discord', WEBHOOK_PRIVATE: 'on', TRUST_PROXY: '1' });
});

describeInBrowser('the page for channels', (browser) => {
  const open = (path: string, options = {}) =>
    browser.visit(`${service.address}${path}`, { ...PHONE, ...options });

  /** Pastes the address of a webhook, and sends it. */
  async function start(page: Page, id: number): Promise<void> {
    await page.locator('#Start').fill(discord.addressOf(id));
    await page.getByRole('button', { name: 'Start announcing' }).click();
  }

  test('begins and ends announcements without scripts, and never shows the address', async () => {
    const page = await open('/?lang=en', { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Announce in Discord' }).click();
    await start(page, 1);
    await page.getByRole('heading', { name: 'It works' }).waitFor();
    expect(await page.content()).not.toContain('token-of-1');
    expect(discord.posted.map(({ id, embeds }) => [id, embeds[0]?.description])).toEqual([
      ['1', expect.stringMatching(/every new anime episode.*\n.*\/channels\?lang=en/u)],
    ]);
    await page.getByRole('link', { name: 'Back to the settings' }).click();
    await page.getByText('Stop', { exact: true }).click();
    await page.locator('#Stop').fill(discord.addressOf(1));
    await page.getByRole('button', { name: 'Stop announcing' }).click();
    await page.getByRole('heading', { name: 'Stopped' }).waitFor();
  });

  test('offers the one anime whose page led there', async () => {
    const [anime] = service.source.catalogue.anime;
    const page = await open(`/anime/${anime!.slug}?lang=en`, { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Announce in Discord' }).click();
    expect(await page.getByRole('radio', { name: `Only ${anime!.title}` }).isChecked()).toBe(true);
    await start(page, 2);
    await page.getByRole('heading', { name: 'It works' }).waitFor();
    const description = discord.posted.at(-1)?.embeds[0]?.description ?? '';
    expect(description).toContain('(1):');
  });

  test('offers what this browser follows', async () => {
    const slugs = service.source.catalogue.anime.slice(0, 2).map(({ slug }) => slug);
    const page = await open('/channels?lang=en');
    expect(await page.locator('#Followed').isVisible()).toBe(false);
    await page.evaluate(`localStorage['tayang-followed'] = ${JSON.stringify(JSON.stringify(slugs))}`);
    await page.reload();
    await page.getByRole('radio', { name: 'The anime I follow here (2)' }).check();
    await start(page, 3);
    await page.getByRole('heading', { name: 'It works' }).waitFor();
    expect(discord.posted.at(-1)?.embeds[0]?.description).toContain('(2):');
  });

  test('says what is wrong, without the address', async () => {
    const { answer } = discord;
    onTestFinished(() => {
      discord.answer = answer;
    });
    discord.answer = () => ({ status: 404, body: { message: 'Unknown Webhook', code: 10015 } });
    const page = await open('/channels?lang=en');
    await start(page, 4);
    await page
      .getByRole('alert')
      .getByText('Discord did not accept the message.', { exact: false })
      .waitFor();
    expect(await page.content()).toContain('404 Unknown Webhook');
    expect(await page.content()).not.toContain('token-of-4');
    expect(browser.takeTroubles()).toEqual([saidOf(422)]);
  });
});
