import { type CheerioAPI, load } from 'cheerio/slim';
import { AppError } from '../../../domain/errors.ts';
import { readSlug } from '../../address.ts';

/** The frames of the list and of the schedule. They count, not the cards: an empty list of the site is the site's. */
const FRAMES = '.venz, .kgjdwl321, .kglist321';

/** A page of the site is nested twenty deep; one that is built to be deep takes minutes to search. */
const DEEPEST = 200;

/** Loads a page of the site. Throws AppError `source-moved` when neither frame is there: the page is somebody else's. */
export function openPage(html: string): CheerioAPI {
  const $ = load(html);
  checkDepth($);
  if ($(FRAMES).length === 0) {
    const title = $('title').first().text().replace(/\s+/gu, ' ').trim().slice(0, 80);
    throw new AppError(
      'source-moved',
      `the page is not the site's: it has neither a list nor a schedule${title ? `, and is titled "${title}"` : ''}; set SOURCE_URLS to the site's present address`,
    );
  }
  return $;
}

/** The slugs of all anime that the page links to, each once. */
export function readLinked($: CheerioAPI, pageUrl: string): string[] {
  const addresses = new Set(readAddresses($).filter((address) => address.includes('/anime/')));
  return [...new Set([...addresses].flatMap((address) => readSlug(address, pageUrl) ?? []))];
}

/** Where all links of the page lead, as they are written. */
export function readAddresses($: CheerioAPI): string[] {
  return $('a')
    .toArray()
    .flatMap((link) => link.attribs.href ?? []);
}

function checkDepth($: CheerioAPI): void {
  let level = $.root().contents().toArray();
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) throw new AppError('source-changed', `the page is nested more than ${DEEPEST} deep`);
    level = level.flatMap((node) => ('children' in node ? node.children : []));
  }
}
