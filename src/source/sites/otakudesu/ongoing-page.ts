import type { OngoingAnime } from '../../../domain/listing.ts';
import { parsePageNumber } from '../../address.ts';
import { type FieldFormat, splitLocation } from '../../field-format.ts';
import { textOf } from '../../markup/elements.ts';
import type { Page } from '../../markup/page.ts';
import { type Card, isReadable, type OngoingPage, refuse } from '../../source.ts';
import { type CardReader, createCardReaders, indexSiteLinks } from './card.ts';
import { COVER, DATE, EPISODE, IS_LAST, ONGOING_DAY, TITLE } from './formats.ts';
import { checkOrigin, listHrefs, listLinkedSlugs } from './page.ts';
import type { OngoingSelectors } from './selectors.ts';

/** How many fields a card has. */
const FIELDS = 6;

/** The text of a cover, which repeats the title. */
const ALT: FieldFormat<string> = { ...TITLE, rawText: ({ element }) => element.attribs.alt };

/**
 * Reads a page of the ongoing list:
 *
 *     .venutama > (.rseries > .rapi > (#rvod, .venz > ul > li*25)), .pagination > .pagenavix > .page-numbers*
 */
export function readOngoing(page: Page, pageUrl: string, selectors: OngoingSelectors): OngoingPage {
  checkOrigin(page, selectors.list);
  const lists = page.find(selectors.list).length;
  if (lists !== 1) {
    const what = lists === 0 ? 'no list' : `${lists} lists, as the front page has,`;
    refuse(`${what} where the ongoing list should be (${selectors.list})`);
  }
  const items = page.find(`${selectors.list} ${selectors.card}`);
  const readerFor = createCardReaders(page, pageUrl, items);
  const links = indexSiteLinks(page, pageUrl, items, splitLocation(selectors.link).attribute);
  const { selector: cover } = splitLocation(selectors.cover);
  const cards: Card<OngoingAnime>[] = [];
  const alts: string[] = [];
  for (const item of items) {
    const card = readCard(readerFor(item), cards.length + 1, selectors, links.format);
    const hasField = isReadable(card) || card.faults.length < FIELDS;
    if (!links.isCard(item, hasField)) continue;
    cards.push(card);
    alts.push(readerFor(item).field('alt', cover, ALT) ?? '');
  }
  return { ...readPager(page, pageUrl, selectors), cards, alts, linked: listLinkedSlugs(page, pageUrl) };
}

function readCard(
  reader: CardReader,
  card: number,
  selectors: OngoingSelectors,
  link: FieldFormat<string>,
): Card<OngoingAnime> {
  const slug = reader.field('slug', selectors.link, link);
  const image = reader.field('image', selectors.cover, COVER);
  const title = reader.field('title', selectors.title, TITLE);
  const episode = reader.field('episode', selectors.episode, EPISODE);
  const day = reader.field('day', selectors.day, ONGOING_DAY);
  const date = reader.field('date', selectors.date, DATE);
  if (title && episode !== undefined && day && date && image && slug) {
    const isLast = reader.field('episode', selectors.episode, IS_LAST);
    return { title, episode, day, date, image, slug, ...(isLast && { isLast }) };
  }
  return { card, ...(slug && { slug }), faults: reader.faults };
}

/** Reads the numbers and classes of the pager, not its words ("Berikutnya"). A list of one page has no pager. */
function readPager(
  page: Page,
  pageUrl: string,
  { pager, current }: OngoingSelectors,
): { number: number; lastNumber: number } {
  const links = page.find(pager);
  const marks = page.find(current);
  const numbers = [...links, ...marks].flatMap((link) => [
    toNumber(textOf(link)),
    parsePageNumber(link.attribs.href, pageUrl),
  ]);
  const currentNumbers = marks.map((mark) => toNumber(textOf(mark)));
  const [number = links.length === 0 ? 1 : undefined, ...others] = new Set(currentNumbers);
  if (number === undefined || others.length > 0) {
    refuse(`the pager names no current page (${current})`);
  }
  const lastNumber = Math.max(number, ...numbers.filter((one) => one !== undefined));
  const maxLinked = Math.max(1, ...listHrefs(page).map((address) => parsePageNumber(address, pageUrl) ?? 1));
  if (maxLinked > lastNumber) {
    refuse(`page ${maxLinked} is linked, and the pager does not name it: ${pager} is probably renamed`);
  }
  return { number, lastNumber };
}

function toNumber(text: string): number | undefined {
  const number = Number(text.trim() || Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}
