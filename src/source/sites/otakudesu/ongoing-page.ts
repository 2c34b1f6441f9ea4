import { AppError } from '../../../domain/errors.ts';
import type { OngoingAnime } from '../../../domain/listing.ts';
import { parseImageUrl, parsePageNumber, parseSlug } from '../../address.ts';
import type { Card, OngoingPage } from '../../source.ts';
import { explainEpisode, parseDate, parseEpisode, parseOngoingDay } from '../../vocabulary.ts';
import { type CardReader, createCardReaders, hrefOf, parseTitle } from './card.ts';
import { type Element, textOf } from './elements.ts';
import { listHrefs, listLinkedSlugs, type Page, parsePage } from './page.ts';

/**
 * A page of the ongoing list:
 *
 *     .venutama > (.rseries > .rapi > (#rvod, .venz > ul > li*25)), .pagination > .pagenavix > .page-numbers*
 */
export function parseOngoing(html: string, pageUrl: string): OngoingPage {
  const page = parsePage(html);
  const lists = page.find('.venz').length;
  if (lists !== 1) {
    const what = lists === 0 ? 'no list' : `${lists} lists, as the front page has,`;
    throw new AppError('source-changed', `${what} where the ongoing list should be (.venz)`);
  }
  const items = page.find('.venz li');
  const readerFor = createCardReaders(page, items);
  const cards = items.map((item, index) => parseCard(readerFor(item), index + 1, pageUrl));
  const alts = items.map(
    (item) => readerFor(item).field('alt', '.thumbz img', parseTitle, { show: altOf }) ?? '',
  );
  return { ...parsePager(page, pageUrl), cards, alts, linked: listLinkedSlugs(page, pageUrl) };
}

const altOf = (picture: Element): string | undefined => picture.attribs.alt;

function parseCard(reader: CardReader, card: number, pageUrl: string): Card<OngoingAnime> {
  const slug = reader.field('slug', '.thumb a', (href) => parseSlug(href, pageUrl), { show: hrefOf });
  const image = reader.field(
    'image',
    '.thumbz img',
    (_src, picture) => parseImageUrl(picture.attribs, pageUrl),
    {
      show: (picture) => picture.attribs.src,
    },
  );
  const title = reader.field('title', '.jdlflm', parseTitle);
  const episode = reader.field('episode', '.epz', parseEpisode, { explain: explainEpisode });
  const day = reader.field('day', '.epztipe', parseOngoingDay);
  const date = reader.field('date', '.newnime', parseDate);
  if (title && episode !== undefined && day && date && image && slug) {
    return { title, episode, day, date, image, slug };
  }
  return { card, ...(slug && { slug }), faults: reader.faults };
}

/** Reads the numbers and classes of the pager, not its words ("Berikutnya"). A list of one page has no pager. */
function parsePager(page: Page, pageUrl: string): { number: number; lastNumber: number } {
  const links = page.find('.page-numbers');
  const numbers = links.flatMap((link) => [
    toNumber(textOf(link)),
    parsePageNumber(link.attribs.href, pageUrl),
  ]);
  const current = new Set(page.find('.current'));
  const currentNumbers = links.filter((link) => current.has(link)).map((link) => toNumber(textOf(link)));
  const [number = links.length === 0 ? 1 : undefined, ...others] = new Set(currentNumbers);
  if (number === undefined || others.length > 0) {
    throw new AppError('source-changed', 'the pager names no current page (.page-numbers.current)');
  }
  const lastNumber = Math.max(number, ...numbers.filter((one) => one !== undefined));
  const maxLinked = Math.max(1, ...listHrefs(page).map((address) => parsePageNumber(address, pageUrl) ?? 1));
  if (maxLinked > lastNumber) {
    const reason = `page ${maxLinked} is linked, and the pager does not name it: .page-numbers is probably renamed`;
    throw new AppError('source-changed', reason);
  }
  return { number, lastNumber };
}

function toNumber(text: string): number | undefined {
  const number = Number(text.trim() || Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}
