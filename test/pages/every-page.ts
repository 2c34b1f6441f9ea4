import type { Page, Response } from 'playwright-core';
import type { Language } from '../../src/pages/i18n/translations.ts';
import type { PageSite } from '../support/page-site.ts';
import { LISTING_PAGES } from './listing-pages.ts';
import { UPLOAD_PAGES } from './upload-pages.ts';

export interface PageCase {
  name: string;
  /** Its address, without a language. */
  address(site: PageSite): string | Promise<string>;
  /** Waits until the scripts have added to the page what they add by themselves. */
  settle?(page: Page): Promise<unknown>;
  /** Brings the page to the state that is meant; it needs JavaScript then. */
  reach?(page: Page): Promise<unknown>;
  /** 200 where nothing is said. */
  status?: number;
  /** What the clock of the browser shows from then on, ms since 1970; the real time where nothing is said. */
  shownAt?: number;
  /** The element that the window is scrolled to; pictures show the window then, and else the top of the page. */
  part?: string;
}

/** Every page and state for people, of both origins. A new page needs a line there, and is held to all of the rules. */
export const PAGES: readonly PageCase[] = [...LISTING_PAGES, ...UPLOAD_PAGES];

/** Of each kind of page, the one that is compared with kept pictures. The rules of every page hold for all of them. */
export const PICTURED: ReadonlySet<string> = new Set([
  'front',
  'front-followed',
  'front-mine',
  'anime',
  'status',
  'docs',
  'drop',
  'drop-several',
  'file-image',
  'removed',
]);

export const WIDTHS = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } };

export const addLanguage = (address: string, language: Language): string =>
  `${address}${address.includes('?') ? '&' : '?'}lang=${language}`;

/** Opens a page in one of its languages, and brings it to its state. */
export async function visit(
  page: Page,
  site: PageSite,
  one: PageCase,
  language: Language,
): Promise<Response | null> {
  const address = await one.address(site);
  if (one.shownAt) await page.clock.setFixedTime(one.shownAt);
  const response = await page.goto(addLanguage(address, language));
  await one.settle?.(page);
  await one.reach?.(page);
  return response;
}
