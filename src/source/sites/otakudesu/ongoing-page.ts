import type { CheerioAPI } from 'cheerio/slim';
import { AppError } from '../../../domain/errors.ts';
import type { OngoingAnime } from '../../../domain/listing.ts';
import { readImage, readSlug } from '../../address.ts';
import type { Card, OngoingPage } from '../../source.ts';
import { readDate, readEpisode, readOngoingDay } from '../../vocabulary.ts';
import { createCardReader, type Elements, readTitle, text } from './card.ts';
import { openPage, readAddresses, readLinked } from './page.ts';

/**
 * A page of the ongoing list:
 *
 *     .venutama > (.rseries > .rapi > (#rvod, .venz > ul > li*25)), .pagination > .pagenavix > .page-numbers*
 */
export function parseOngoing(html: string, pageUrl: string): OngoingPage {
  const $ = openPage(html);
  const list = $('.venz');
  if (list.length !== 1) {
    const what = list.length === 0 ? 'no list' : `${list.length} lists, as the front page has,`;
    throw new AppError('source-changed', `${what} where the ongoing list should be (.venz)`);
  }
  const items = list.find('li').toArray();
  const cards = items.map((item, index) => readCard($(item), index + 1, pageUrl));
  return { ...readPager($), cards, linked: readLinked($, pageUrl) };
}

function readCard(item: Elements, card: number, pageUrl: string): Card<OngoingAnime> {
  const reader = createCardReader(item);
  const href = (link: Elements) => link.attr('href');
  const slug = reader.field('slug', '.thumb a', (link) => readSlug(href(link), pageUrl), href);
  const image = reader.field(
    'image',
    '.thumbz img',
    (picture) => readImage(picture.attr() ?? {}, pageUrl),
    (picture) => picture.attr('src'),
  );
  const title = reader.field('title', '.jdlflm', readTitle);
  const episode = reader.field('episode', '.epz', text(readEpisode));
  const day = reader.field('day', '.epztipe', text(readOngoingDay));
  const date = reader.field('date', '.newnime', text(readDate));
  if (title && episode !== undefined && day && date && image && slug) {
    return { title, episode, day, date, image, slug };
  }
  return { card, ...(slug && { slug }), faults: reader.faults };
}

/** Numbers and classes only: the words ("Berikutnya") are for people. A list of one page has no pager. */
function readPager($: CheerioAPI): { number: number; lastNumber: number } {
  const links = $('.page-numbers').toArray();
  const numbers = links.flatMap((link) => [toNumber($(link).text()), pageIn(link.attribs.href)]);
  const marked = links.filter((link) => $(link).hasClass('current')).map((link) => toNumber($(link).text()));
  const [number = links.length === 0 ? 1 : undefined, ...others] = new Set(marked);
  if (number === undefined || others.length > 0) {
    throw new AppError('source-changed', 'the pager names no current page (.page-numbers.current)');
  }
  const lastNumber = Math.max(number, ...numbers.filter((one) => one !== undefined));
  const furthest = Math.max(1, ...readAddresses($).map((address) => pageIn(address) ?? 1));
  if (furthest > lastNumber) {
    const reason = `page ${furthest} is linked, and the pager does not name it: .page-numbers is probably renamed`;
    throw new AppError('source-changed', reason);
  }
  return { number, lastNumber };
}

function pageIn(address: string | undefined): number | undefined {
  return toNumber(/\/page\/(\d+)/u.exec(address ?? '')?.[1] ?? '');
}

function toNumber(text: string): number | undefined {
  const number = Number(text.trim() || Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}
