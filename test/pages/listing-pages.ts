import type { Page } from 'playwright-core';
import type { PageSite } from '../support/page-site.ts';
import { SAMPLES, SHOWN_AT, type Situation } from '../support/situations.ts';
import type { PageCase } from './every-page.ts';

const at =
  (situation: Situation, path = '/') =>
  async ({ listing }: PageSite) =>
    (await listing(situation)) + path;

/** The script says how fresh the listing is once it has asked. */
const settle = (page: Page) => page.locator('#Updated time').waitFor({ state: 'detached' });

const front = (state: string, situation: Situation, more: Partial<PageCase> = {}): PageCase => ({
  name: `front${state}`,
  address: at(situation),
  settle,
  ...more,
});

/** A fan who comes back after a day, follows five anime, and has not watched all of two of them. */
async function comeBack(page: Page): Promise<void> {
  const watched = { [SAMPLES.seen]: 7, [SAMPLES.abbreviated]: 3, [SAMPLES.ended]: 12 };
  await page.evaluate(`Object.assign(localStorage, {
    'tayang-followed': ${JSON.stringify(JSON.stringify(Object.values(SAMPLES)))},
    'tayang-watched': ${JSON.stringify(JSON.stringify(watched))},
  })`);
  await page.reload();
  await settle(page);
}

/** The list of what they follow, one of which has ended. */
async function openMine(page: Page): Promise<void> {
  await comeBack(page);
  await page.locator('#MineTab').click();
  await page
    .locator('#Mine')
    .getByText(/Tamat|Ended/u)
    .waitFor();
}

/** The offer to tell of new episodes, after the first anime that is followed. */
async function followFirst(page: Page): Promise<void> {
  await page.addInitScript(`Object.defineProperty(Notification, 'permission', { get: () => 'default' })`);
  await page.evaluate('localStorage.clear()');
  await page.reload();
  await settle(page);
  await page.locator('#Push button:enabled').waitFor({ state: 'attached' });
  await page.locator('#Today .star').first().click();
}

/** The page for channels, of a fan who follows anime. */
async function followSome(page: Page): Promise<void> {
  await page.evaluate(
    `localStorage['tayang-followed'] = ${JSON.stringify(JSON.stringify(Object.values(SAMPLES)))}`,
  );
  await page.reload();
  await page.locator('#Followed').waitFor();
}

/** The same, for one anime, with an address that is none of Discord. */
async function pasteWrongly(page: Page): Promise<void> {
  await page.locator('#Start').fill('https://discord.com/api/webhooks/1');
  await page.locator('button[value=start]').click();
  await page.getByRole('alert').waitFor();
}

/** A link with somebody's list, opened on a page that is not up to date. */
async function openList(page: Page): Promise<void> {
  await page.evaluate(`location.hash = 'mine=${SAMPLES.seen},${SAMPLES.longTitle}'`);
  await page.locator('#Import').waitFor();
  await page.locator('#Updated button').waitFor();
}

async function search(page: Page, text: string): Promise<void> {
  await page.locator('#Search').click();
  await page.keyboard.type(text);
}

/** The offer of notifications, to a visitor who has not been asked yet. */
async function offerNotifications(page: Page): Promise<void> {
  await page.addInitScript(`Object.defineProperty(Notification, 'permission', { get: () => 'default' })`);
  await page.reload();
  await page.locator('#PushButton:enabled').waitFor();
}

const PAGES: readonly PageCase[] = [
  front('', 'usual'),
  front('-followed', 'usual', { reach: comeBack }),
  front('-mine', 'usual', { reach: openMine, part: '.tabs' }),
  front('-offer', 'notifying', { reach: followFirst, part: '#Today' }),
  front('-yesterday', 'usual', {
    reach: (page) => page.locator('.tabs a', { hasText: '19' }).click(),
    part: '.tabs',
  }),
  front('-link', 'outdated', { reach: openList, part: '#Main' }),
  front('-search', 'usual', { reach: (page) => search(page, 'jjk'), part: '#Filter' }),
  front('-no-match', 'usual', { reach: (page) => search(page, 'xyz'), part: '#Filter' }),
  front('-stale', 'stale', { part: '#Main' }),
  front('-empty', 'empty', { part: '#Main' }),
  { name: 'anime', address: at('usual', `/anime/${SAMPLES.seen}`) },
  {
    name: 'anime-followed',
    address: at('usual', `/anime/${SAMPLES.longTitle}`),
    reach: (page) => page.locator('#Follow').click(),
  },
  {
    name: 'anime-notifying',
    address: at('notifying', `/anime/${SAMPLES.seen}`),
    reach: offerNotifications,
    part: '.actions',
  },
  { name: 'anime-ended', address: at('usual', `/anime/${SAMPLES.ended}`) },
  { name: 'anime-scheduled', address: at('usual', `/anime/${SAMPLES.scheduled}`) },
  { name: 'anime-stale', address: at('stale', `/anime/${SAMPLES.longTitle}`) },
  { name: 'channels', address: at('notifying', '/channels'), reach: followSome },
  {
    name: 'channels-refused',
    address: at('notifying', `/channels?anime=${SAMPLES.longTitle}`),
    reach: pasteWrongly,
  },
  { name: 'status', address: at('usual', '/status') },
  { name: 'status-stale', address: at('stale', '/status') },
  { name: 'docs', address: at('usual', '/docs') },
  {
    name: 'docs-entry',
    address: at('usual', '/docs'),
    reach: (page) => page.locator('summary', { hasText: '/f/{name}' }).click(),
    part: '.group details[open]',
  },
  { name: 'listing-missing', address: at('usual', '/tidak-ada'), status: 404 },
  { name: 'anime-missing', address: at('usual', '/anime/tidak-ada'), status: 404 },
  { name: 'listing-waiting', address: at('waiting'), status: 503 },
  { name: 'listing-failing', address: at('failing'), status: 503 },
];

/** The pages of the listing, in each of their states. */
export const LISTING_PAGES = PAGES.map((one) => ({ ...one, shownAt: SHOWN_AT }));
