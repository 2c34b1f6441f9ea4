import { AppError } from '../../../domain/errors.ts';
import type { OngoingAnime } from '../../../domain/listing.ts';
import { readImage, readPageNumber, readSlug } from '../../address.ts';
import type { Card, OngoingPage } from '../../source.ts';
import { explainEpisode, readDate, readEpisode, readOngoingDay } from '../../vocabulary.ts';
import { type CardReader, hrefOf, openCards, readTitle } from './card.ts';
import { type Element, textOf } from './elements.ts';
import { openPage, type Page, readAddresses, readLinked } from './page.ts';

/**
 * A page of the ongoing list:
 *
 *     .venutama > (.rseries > .rapi > (#rvod, .venz > ul > li*25)), .pagination > .pagenavix > .page-numbers*
 */
export function parseOngoing(html: string, pageUrl: string): OngoingPage {
  const page = openPage(html);
  const lists = page.find('.venz').length;
  if (lists !== 1) {
    const what = lists === 0 ? 'no list' : `${lists} lists, as the front page has,`;
    throw new AppError('source-changed', `${what} where the ongoing list should be (.venz)`);
  }
  const items = page.find('.venz li');
  const readerOf = openCards(page, items);
  const cards = items.map((item, index) => readCard(readerOf(item), index + 1, pageUrl));
  const alts = items.map(
    (item) => readerOf(item).field('alt', '.thumbz img', readTitle, { show: altOf }) ?? '',
  );
  return { ...readPager(page, pageUrl), cards, alts, linked: readLinked(page, pageUrl) };
}

const altOf = (picture: Element): string | undefined => picture.attribs.alt;

function readCard(reader: CardReader, card: number, pageUrl: string): Card<OngoingAnime> {
  const slug = reader.field('slug', '.thumb a', (href) => readSlug(href, pageUrl), { show: hrefOf });
  const image = reader.field('image', '.thumbz img', (_src, picture) => readImage(picture.attribs, pageUrl), {
    show: (picture) => picture.attribs.src,
  });
  const title = reader.field('title', '.jdlflm', readTitle);
  const episode = reader.field('episode', '.epz', readEpisode, { explain: explainEpisode });
  const day = reader.field('day', '.epztipe', readOngoingDay);
  const date = reader.field('date', '.newnime', readDate);
  if (title && episode !== undefined && day && date && image && slug) {
    return { title, episode, day, date, image, slug };
  }
  return { card, ...(slug && { slug }), faults: reader.faults };
}

/** Numbers and classes only: the words ("Berikutnya") are for people. A list of one page has no pager. */
function readPager(page: Page, pageUrl: string): { number: number; lastNumber: number } {
  const links = page.find('.page-numbers');
  const numbers = links.flatMap((link) => [
    toNumber(textOf(link)),
    readPageNumber(link.attribs.href, pageUrl),
  ]);
  const current = new Set(page.find('.current'));
  const marked = links.filter((link) => current.has(link)).map((link) => toNumber(textOf(link)));
  const [number = links.length === 0 ? 1 : undefined, ...others] = new Set(marked);
  if (number === undefined || others.length > 0) {
    throw new AppError('source-changed', 'the pager names no current page (.page-numbers.current)');
  }
  const lastNumber = Math.max(number, ...numbers.filter((one) => one !== undefined));
  const furthest = Math.max(
    1,
    ...readAddresses(page).map((address) => readPageNumber(address, pageUrl) ?? 1),
  );
  if (furthest > lastNumber) {
    const reason = `page ${furthest} is linked, and the pager does not name it: .page-numbers is probably renamed`;
    throw new AppError('source-changed', reason);
  }
  return { number, lastNumber };
}

function toNumber(text: string): number | undefined {
  const number = Number(text.trim() || Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}
