import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { LANGUAGES } from '../../src/pages/i18n/translations.ts';
import { ICON_SVG, svgAddress } from '../../src/pages/layout.ts';
import { openUploadSite } from '../support/browser.ts';
import { CHROMIUM } from '../support/browser-server.ts';
import type { Defer } from '../support/defer.ts';
import { prepareListings } from '../support/fixed-listing.ts';
import { PNG } from '../support/media-files.ts';
import { openPageSite } from '../support/page-site.ts';
import { readJson } from '../support/service.ts';
import { SAMPLES, SHOWN_AT } from '../support/situations.ts';
import { PAGES, PICTURED, visit } from './every-page.ts';
import { FORMATS, PICTURES, takePictures } from './take-pictures.ts';

/**
 * `npm run pictures` makes the pictures of the README, the social preview and the favicon; `npm run pictures -- --update`
 * those that the pages are compared with, or of them those of the pages that are named after it.
 */

const ROOT = path.resolve(import.meta.dirname, '../..');
const ASSETS = path.join(ROOT, 'src/pages/assets');
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };

const undos: Parameters<Defer>[0][] = [];
const defer: Defer = (undo) => void undos.push(undo);

async function open(browser: Browser, address: string, options: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage({ locale: 'id-ID', timezoneId: 'Asia/Jakarta', ...options });
  await page.goto(address, { waitUntil: 'networkidle' });
  return page;
}

async function take(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  await writeFile(path.join(ROOT, 'docs/images', `${name}.webp`), Buffer.from(data, 'base64'));
  await page.close();
}

/** The front page of a whole season at noon, to somebody who follows some anime, and has not watched all of them. */
async function takeFrontPages(browser: Browser): Promise<void> {
  const address = await (await prepareListings(defer))('usual');
  const { data } = await readJson(fetch(`${address}/api/anime`));
  const episodes: [string, number][] = data.ongoing.map(
    ({ slug, episode }: { slug: string; episode: number }, index: number) => [
      slug,
      episode - Number(index % 14 === 0),
    ],
  );
  const kept = {
    'tayang-watched': Object.fromEntries(episodes),
    'tayang-followed': [SAMPLES.seen, SAMPLES.abbreviated, ...episodes.slice(7, 10).map(([slug]) => slug)],
  };
  const localStorage = Object.entries(kept).map(([name, value]) => ({ name, value: JSON.stringify(value) }));
  const storageState = { cookies: [], origins: [{ origin: address, localStorage }] };
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [name, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
      const page = await open(browser, 'about:blank', { colorScheme, viewport, storageState });
      await page.clock.setFixedTime(SHOWN_AT);
      await page.goto(address, { waitUntil: 'networkidle' });
      await take(page, `front-${name}-${colorScheme}`);
    }
  }
}

async function takeFilePage(browser: Browser): Promise<void> {
  const site = await openUploadSite(defer);
  const { url } = await site.upload('senja di pantai.png', PNG);
  await take(await open(browser, url, { viewport: { width: 900, height: 900 } }), 'file');
}

/** An icon: SVG has no size of its own. */
const icon = (name: string, size: number, svg = ICON_SVG) => ({
  ...{ name, width: size, height: size },
  html: `<body style="margin:0"><img src="${svgAddress(svg)}" width="${size}" style="display:block">`,
});

const ICONS = [
  icon('favicon.ico', 32),
  icon('icon-192.png', 192),
  icon('icon-512.png', 512),
  // One that is cut to a shape fills its square.
  icon('icon-maskable-512.png', 512, ICON_SVG.replace(' rx="9"', '')),
];

const PREVIEW = {
  ...{ name: 'preview.png', width: 1200, height: 630 },
  html: `<body style="margin:0;height:630px;display:flex;gap:56px;align-items:center;justify-content:center;background:#f7f5fa;color:#1d1b20;font:700 132px system-ui,sans-serif;letter-spacing:-4px">
<img src="${svgAddress(ICON_SVG)}" width="230"><div>Tayang<div style="font-size:38px;font-weight:500;letter-spacing:0;color:#5d5966;margin-top:12px">Anime minggu ini · This week's anime</div></div>`,
};

async function makeAssets(browser: Browser): Promise<void> {
  for (const { name, width, height, html } of [PREVIEW, ...ICONS]) {
    const page = await open(browser, 'about:blank', { viewport: { width, height } });
    await page.setContent(html);
    const png = await page.screenshot({ omitBackground: true });
    await writeFile(path.join(ASSETS, name), name.endsWith('.ico') ? toIco(png) : png);
    await page.close();
  }
}

/** An .ico of one picture of 32 by 32, which may be a PNG. */
function toIco(png: Buffer): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  header.set([32, 32], 6);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

/**
 * Makes the pictures anew that pages are compared with: of the pages of these names, or of all. Look at them before they
 * are committed.
 */
async function updatePictures(browser: Browser, names: readonly string[]): Promise<void> {
  const site = await openPageSite(defer);
  if (names.length === 0) await rm(PICTURES, { recursive: true, force: true });
  await mkdir(PICTURES, { recursive: true });
  for (const one of PAGES.filter(({ name }) => PICTURED.has(name))) {
    if (names.length > 0 && !names.includes(one.name)) continue;
    // A fixed clock cannot be let go again.
    const page = await browser.newPage({ timezoneId: 'Asia/Jakarta' });
    for (const language of LANGUAGES) {
      await visit(page, site, one, language);
      for await (const { name, bytes } of takePictures(page, one, language, FORMATS.kept))
        await writeFile(path.join(PICTURES, `${name}.webp`), bytes);
    }
    await page.close();
  }
}

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
const [option, ...names] = process.argv.slice(2);
if (option === '--update') {
  await updatePictures(browser, names);
} else {
  await makeAssets(browser);
  await takeFrontPages(browser);
  await takeFilePage(browser);
}
await browser.close();
for (const undo of undos.reverse()) await undo();
process.exit(0);
