import type { OngoingAnime } from '../../../domain/listing.ts';
import { parsePageNumber } from '../../address.ts';
import { type FieldFormat, splitLocation } from '../../field-format.ts';
import { ancestorsOf, type Element, isElement, isWithin, textOf } from '../../markup/elements.ts';
import type { Page } from '../../markup/page.ts';
import { type Card, isReadable, type OngoingPage, refuse } from '../../source.ts';
import { type CardReader, createCardReaders, indexSiteLinks } from './card.ts';
import { COVER, DATE, EPISODE, IS_LAST, ONGOING_DAY, TITLE } from './formats.ts';
import { checkOrigin, listLinkedSlugs } from './page.ts';
import type { OngoingSelectors } from './selectors.ts';

type Pager = Pick<OngoingPage, 'number' | 'lastNumber'>;

/** How many fields a card has. */
const FIELDS = 6;

/** The text of a cover, which repeats the title. */
const ALT: FieldFormat<string> = { ...TITLE, rawText: ({ element }) => element.attribs.alt };

/**
 * Reads a page of the ongoing list:
 *
 *     .venutama > (.rseries > .rapi > (#rvod, .venz > ul > li*25)), .pagination
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
  const links = indexSiteLinks(page, pageUrl, items);
  const { selector: cover } = splitLocation(selectors.cover);
  const cards: Card<OngoingAnime>[] = [];
  const alts: string[] = [];
  for (const item of items) {
    const reader = readerFor(item);
    const card = readCard(reader, cards.length + 1, selectors, links.slugOf(item, reader.faults));
    const hasField = isReadable(card) || card.faults.length < FIELDS;
    if (!links.isCard(item, hasField)) continue;
    cards.push(card);
    alts.push(readerFor(item).field('alt', cover, ALT) ?? '');
  }
  return { ...readPager(page, pageUrl, items), cards, alts, linked: listLinkedSlugs(page, pageUrl) };
}

function readCard(
  reader: CardReader,
  card: number,
  selectors: OngoingSelectors,
  slug: string | undefined,
): Card<OngoingAnime> {
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

/** How far above the links to other pages the number of the current page may be. */
const MAX_LEVELS = 4;

/**
 * Reads the pager by what it says, in whatever markup: the links to other pages of the list, and around them the number
 * that is not linked, which is that of the current page. A list of one page has no pager.
 */
function readPager(page: Page, pageUrl: string, items: readonly Element[]): Pager {
  const cards = new Set(items);
  const linked = page.find('a').flatMap((link) => {
    const number = parsePageNumber(link.attribs.href, pageUrl);
    return number === undefined || isWithin(link, cards) ? [] : [{ link, number }];
  });
  const [first, ...others] = linked.map(({ link }) => ancestorsOf(link));
  if (!first) return { number: 1, lastNumber: 1 };
  const around = first.filter((one) => others.every((ancestors) => ancestors.includes(one)));
  const skipped = new Set([...items, ...linked.map(({ link }) => link)]);
  const containers = new Set([first, ...others].flat());
  for (const container of around.slice(0, MAX_LEVELS)) {
    const [number, ...more] = new Set(numbersIn(container, containers, skipped));
    if (more.length > 0) break;
    if (number === undefined) continue;
    return { number, lastNumber: Math.max(number, ...linked.map((one) => one.number)) };
  }
  return refuse('the pager names no current page');
}

/** The whole numbers that are the text of an element in a container; not those of links, which other containers have. */
function numbersIn(
  container: Element,
  containers: ReadonlySet<Element>,
  skipped: ReadonlySet<Element>,
): number[] {
  return container.children.filter(isElement).flatMap((child) => {
    if (skipped.has(child)) return [];
    const number = containers.has(child) ? undefined : toNumber(textOf(child));
    return number === undefined ? numbersIn(child, containers, skipped) : [number];
  });
}

function toNumber(text: string): number | undefined {
  const number = Number(/^\d{1,4}$/u.exec(text.trim())?.[0] ?? Number.NaN);
  return number > 0 ? number : undefined;
}
