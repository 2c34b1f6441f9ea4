import { type Element, textOf } from '../markup/elements.ts';
import { describeAlone, describeWithin } from './describe-element.ts';
import type { Cards } from './find-cards.ts';
import type { PageModel, PagerModel, Selectors } from './page-model.ts';
import { Doubt, elementsIn, type Search } from './search.ts';

const MAX_LINKS = 100;
const MAX_SELECTORS = 60;
const MAX_SIZE = 10;

/**
 * Finds the pager: the links to other pages of the list, and near them the number of this one, which is no such link.
 * A list of one page has none, and keeps its selectors.
 */
export function findPager(
  search: Search,
  { selectors }: PageModel<unknown>,
  model: PagerModel,
  cards: Cards,
  asked: number,
): Selectors {
  const originals = { pager: selectors[model.pager] ?? '', current: selectors[model.current] ?? '' };
  const links = listLinks(search, model, cards);
  const [first] = links;
  if (!first) return {};
  const around = findAround(search, links, asked);
  const current = around && describeCurrent(search, originals.current, around, links, asked);
  if (!around || current === undefined)
    throw new Doubt(`${model.current}: nothing near the links says page ${asked}`);
  const pager = describeLinks(search, originals.pager, around, links);
  if (pager === undefined)
    throw new Doubt(`${model.pager}: the links to other pages have nothing of their own`);
  return { [model.pager]: pager, [model.current]: current };
}

function listLinks(search: Search, model: PagerModel, { elements }: Cards): Element[] {
  const cards = new Set(elements);
  const links = search.find('a').filter((link) => {
    const number = model.parsePageNumber(link.attribs.href, search.pageUrl);
    return number !== undefined && !search.around(link).some((one) => cards.has(one));
  });
  if (links.length > MAX_LINKS)
    throw new Doubt(`the page has more than ${MAX_LINKS} links to pages of the list`);
  return links;
}

/** The smallest element with all links and a number of the page that was asked for. */
function findAround(
  search: Search,
  [first, ...others]: readonly Element[],
  asked: number,
): Element | undefined {
  const sets = others.map((link) => new Set(search.around(link)));
  const around = first ? search.around(first).filter((one) => sets.every((set) => set.has(one))) : [];
  return around
    .slice(0, 4)
    .find((one) => elementsIn(search, one).some((inner) => saysNumber(search, inner, asked)));
}

function describeCurrent(
  search: Search,
  original: string,
  around: Element,
  links: readonly Element[],
  asked: number,
): string | undefined {
  const isLinked = (element: Element) =>
    [element, ...search.around(element)].some((one) => links.includes(one));
  const marks = elementsIn(search, around).filter((one) => saysNumber(search, one, asked) && !isLinked(one));
  const isMark = new Set(marks);
  const matchesMark = (selector: string) => {
    const [found, ...others] = search.find(selector);
    return found !== undefined && others.length === 0 && isMark.has(found);
  };
  if (matchesMark(original)) return original;
  return marks
    .values()
    .flatMap((mark) => describeIn(search, mark, around))
    .find(matchesMark);
}

function describeLinks(
  search: Search,
  original: string,
  around: Element,
  links: readonly Element[],
): string | undefined {
  const candidates = links.slice(0, 1).flatMap((link) => [...describeIn(search, link, around)]);
  return [original, ...candidates].find((selector) => {
    const found = new Set(search.find(selector));
    return (
      links.every((one) => found.has(one)) && [...found].every((one) => search.around(one).includes(around))
    );
  });
}

/**
 * The first selectors of an element in the page, alone and within what is around the pager. They are made as they are
 * tried, because `search.find` counts the work and there may be thousands of elements.
 */
function describeIn(search: Search, element: Element, around: Element): Iterable<string> {
  const inside = describeWithin(search, element, around)
    .filter((one) => !one.startsWith('&'))
    .take(MAX_SELECTORS)
    .toArray();
  const outer = describeAlone(around).flatMap((one) => inside.map((inner) => `${one} ${inner}`));
  return [...inside, ...outer.take(MAX_SELECTORS - inside.length)];
}

function saysNumber(search: Search, element: Element, number: number): boolean {
  return search.sizeOf(element) <= MAX_SIZE && textOf(element).trim() === String(number);
}
