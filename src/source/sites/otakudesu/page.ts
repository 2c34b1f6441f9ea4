import { type CheerioAPI, load } from 'cheerio/slim';
import { AppError } from '../../../domain/errors.ts';

/** The frames of the list and of the schedule. They count, not the cards: an empty list of the site is the site's. */
const FRAMES = '.venz, .kgjdwl321, .kglist321';

/** Loads a page of the site. Throws AppError `source-moved` when neither frame is there: the page is somebody else's. */
export function openPage(html: string): CheerioAPI {
  const $ = load(html);
  if ($(FRAMES).length === 0) {
    const title = $('title').first().text().replace(/\s+/gu, ' ').trim().slice(0, 80);
    throw new AppError(
      'source-moved',
      `the page is not the site's: it has neither a list nor a schedule${title ? `, and is titled "${title}"` : ''}; set SOURCE_URLS to the site's present address`,
    );
  }
  return $;
}
