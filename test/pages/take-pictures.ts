import path from 'node:path';
import type { Page } from 'playwright-core';
import type { Language } from '../../src/pages/i18n/translations.ts';
import { type PageCase, WIDTHS } from './every-page.ts';

/** Where the kept pictures are, each under the name of its state. */
export const PICTURES = path.resolve(import.meta.dirname, 'pictures');

const THEMES = ['light', 'dark'] as const;
/** The layout depends little on the language: each has the width that it is read in most. */
const WIDTH_OF: Record<Language, keyof typeof WIDTHS> = { id: 'phone', en: 'desktop' };
/** Long pages are pictured down to here, in CSS pixels. */
const MAX_HEIGHT = 1_200;

/** How pictures are kept, and how they are taken to be compared: WebP is small, JPEG is made in a fraction of its time. */
export const FORMATS = {
  kept: { format: 'webp', quality: 28 },
  compared: { format: 'jpeg', quality: 80 },
} as const;

/**
 * Pictures of a page that shows its state, such as `docs-id-phone-light`, in both themes; what differs from run to run is made
 * the same first. The page stays in the last of them, dark.
 */
export async function* takePictures(
  page: Page,
  one: PageCase,
  language: Language,
  format: (typeof FORMATS)[keyof typeof FORMATS],
): AsyncGenerator<{ name: string; bytes: Buffer }> {
  if (!one.shownAt) await page.evaluate(`(${fix})()`);
  await page.evaluate('document.activeElement?.blur()');
  await page.mouse.move(0, 0);
  const session = await page.context().newCDPSession(page);
  const width = WIDTH_OF[language];
  const viewport = WIDTHS[width];
  await page.setViewportSize(viewport);
  const height = await page.evaluate<number>(
    `(${prepare})(${JSON.stringify(one.part ?? null)}, ${MAX_HEIGHT})`,
  );
  // A window of that height is pictured many times faster than a part of the whole page.
  if (!one.part) await page.setViewportSize({ ...viewport, height: Math.min(height, MAX_HEIGHT) });
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { data } = await session.send('Page.captureScreenshot', format);
    yield { name: `${one.name}-${language}-${width}-${colorScheme}`, bytes: Buffer.from(data, 'base64') };
  }
  await session.detach();
}

/** Runs in the browser: scrolls, and waits for the pictures that are to be seen. Returns the height of the page. */
const prepare = `async (part, maxHeight) => {
  if (part) document.querySelector(part).scrollIntoView({ behavior: 'instant' });
  else scrollTo({ top: 0, behavior: 'instant' });
  const pictures = [...document.images].filter((image) => image.getBoundingClientRect().top < maxHeight);
  for (const picture of pictures) picture.loading = 'eager';
  await Promise.allSettled(pictures.map((picture) => picture.decode()));
  return document.documentElement.scrollHeight;
}`;

/** Runs in the browser: ports, ids, keys, checksums, times and codes become the same in every run. */
const fix = `() => {
  const same = [
    [/https?:\\/\\/(?:localhost|127\\.0\\.0\\.1):\\d+/g, 'https://tayang.example'],
    [/\\b[0-9a-f]{64}\\b/g, '0123456789abcdef'.repeat(4)],
    [/\\b[0-9a-z]{33,34}\\b/g, 'mi8f2k4w3q9r2d8w4t6y1z7b5n0c8v6x0'],
    [/(\\/d\\/\\w+\\/)[\\w-]{22}/g, '$1J1ZQm8uUQd6sXkq0yq2c3A'],
    [/\\d\\d([.:])\\d\\d (WIB|GMT\\+7)/g, '21$140 $2'],
  ];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode())
    for (const [pattern, text] of same) if (pattern.test(node.data)) node.data = node.data.replace(pattern, text);
  for (const picture of document.querySelectorAll('.qr, video, audio')) picture.style.visibility = 'hidden';
}`;

/** Of the blocks of a picture. Generic fonts differ from machine to machine by less. */
export const MAX_DIFFERENT = 0.03;
/** Blocks of so many pixels are compared by their average: glyphs of another machine differ, layouts do not. */
const BLOCK = 8;
/** Levels of 256 by which two blocks have to differ. */
const MIN_DIFFERENCE = 24;

/**
 * The share of blocks in which two pictures differ, from 0 to 1; pictures that differ in height by more than a
 * twentieth are different altogether. The browser of `page` decodes them.
 */
export async function compare(page: Page, kept: Buffer, taken: Buffer): Promise<number> {
  if (kept.equals(taken)) return 0;
  const addresses = [kept, taken].map((bytes) => `data:image/*;base64,${bytes.toString('base64')}`);
  return page.evaluate<number>(`(${difference})(${JSON.stringify(addresses)}, ${BLOCK}, ${MIN_DIFFERENCE})`);
}

/** Runs in the browser. */
const difference = `async (addresses, block, least) => {
  const images = await Promise.all(addresses.map(async (src) => {
    const image = Object.assign(new Image(), { src });
    await image.decode();
    return image;
  }));
  const [one, other] = images;
  const height = Math.min(one.height, other.height);
  if (one.width !== other.width || Math.abs(one.height - other.height) > height / 20) return 1;
  const [columns, rows] = [Math.floor(one.width / block), Math.floor(height / block)];
  const [kept, taken] = images.map((image) => {
    const context = new OffscreenCanvas(columns, rows).getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, columns * block, rows * block, 0, 0, columns, rows);
    return context.getImageData(0, 0, columns, rows).data;
  });
  let different = 0;
  for (let at = 0; at < kept.length; at += 4) {
    const levelsOf = (data) => data[at] + data[at + 1] + data[at + 2];
    if (Math.abs(levelsOf(kept) - levelsOf(taken)) >= 3 * least) different += 1;
  }
  return different / (columns * rows);
}`;
