import type { OngoingAnime } from '../../../domain/listing.ts';
import { parsePageNumber } from '../../address.ts';
import { splitLocation } from '../../field-format.ts';
import { ancestorsOf, type Element, isElement, isWithin, textOf } from '../../markup/elements.ts';
import { findIn, type Page } from '../../markup/page.ts';
import { type Card, isUnreadable, type OngoingPage, refusePage, type UnnumberedAnime } from '../../source.ts';
import { readCards } from './card.ts';
import { COVER, DATE, DAY, EPISODE, IS_LAST, parseTitle, TITLE } from './formats.ts';
import { checkOrigin, listLinkedSlugs } from './page.ts';
import type { OngoingSelectors } from './selectors.ts';

type Pager = Pick<OngoingPage, 'number' | 'lastNumber'>;

/**
 * Reads a page of the ongoing list:
 *
 *     .venutama > (.rseries > .rapi > (#rvod, .venz > ul > li*25)), .pagination
 */
export function readOngoing(page: Page, pageUrl: string, selectors: OngoingSelectors): OngoingPage {
  checkOrigin(page, selectors.list);
  const lists = new Set(page.find(selectors.list));
  if (lists.size !== 1) {
    const what = lists.size === 0 ? 'no list' : `${lists.size} lists, as the front page has,`;
    refusePage(`${what} where the ongoing list should be (${selectors.list})`);
  }
  const items = page.find(selectors.card).filter((item) => isWithin(item, lists));
  const unnumbered = new Map<Element, Omit<UnnumberedAnime, 'slug'>>();
  const cards = readCards(page, pageUrl, items, (field, _faults, item) => {
    const image = field('image', selectors.image, COVER);
    const title = field('title', selectors.title, TITLE);
    const episode = field('episode', selectors.episode, EPISODE);
    const day = field('day', selectors.day, DAY);
    const date = field('date', selectors.date, DATE);
    if (!title || !day || !date || !image) return undefined;
    if (episode === undefined) {
      unnumbered.set(item, { title, day, date, image });
      return undefined;
    }
    const isLast = field('episode', selectors.episode, IS_LAST);
    return { title, episode, day, date, image, ...(isLast && { isLast }) };
  });
  const covers = findIn(page, splitLocation(selectors.image).selector, items);
  const altOf = (item: Element) => {
    const [cover, ...others] = covers.get(item) ?? [];
    return (others.length === 0 && parseTitle(cover?.attribs.alt ?? '')) || '';
  };
  return {
    ...readPager(page, pageUrl, items),
    cards: cards.map(({ card, item }) => withRecord(card, unnumbered.get(item))),
    alts: cards.map(({ item }) => altOf(item)),
    linked: listLinkedSlugs(page, pageUrl),
  };
}

/** Adds to a card without a number what else was read of it. */
function withRecord(
  card: Card<OngoingAnime>,
  record: Omit<UnnumberedAnime, 'slug'> | undefined,
): Card<OngoingAnime> {
  const { slug } = card;
  return isUnreadable(card) && record && slug !== undefined ? { ...card, record: { ...record, slug } } : card;
}

/** How far above the links to other pages the number of the current page may be. */
const MAX_LEVELS = 4;

/**
 * Reads the pager by its text, in any markup: the links to other pages, and the unlinked number of the current page
 * between them. A list of one page has no pager.
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
  return refusePage('the pager names no current page');
}

/** The whole numbers that are the text of an element in a container; not of links, which other containers have. */
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
