import { type Element, textOf } from '../markup/elements.ts';
import { ownSelectors, selectorsWithin } from './element-selectors.ts';
import type { Cards } from './find-cards.ts';
import type { ParsePageNumber, Selectors } from './page-model.ts';
import { elementsIn, RepairError, type Search } from './search.ts';

const MAX_LINKS = 100;
const MAX_SELECTORS = 60;
const MAX_SIZE = 10;

/**
 * Finds the pager: the links to other pages of the list, and near them the number of the current page, which is not
 * linked. A list of one page has no pager, and keeps its selectors.
 */
export function findPager(
  search: Search,
  originals: Selectors,
  parsePageNumber: ParsePageNumber,
  cards: Cards,
): Selectors {
  const links = listLinks(search, parsePageNumber, cards);
  const [first] = links;
  if (!first) return {};
  const around = findAround(search, links);
  const current = around && describeCurrent(search, originals.current ?? '', around, links);
  if (!around || current === undefined)
    throw new RepairError(`current: no element near the links has the number of page ${search.pageNumber}`);
  const pager = describeLinks(search, originals.pager ?? '', around, links);
  if (pager === undefined) throw new RepairError('pager: no selector matches the links to other pages alone');
  return { pager, current };
}

function listLinks(search: Search, parsePageNumber: ParsePageNumber, { elements }: Cards): Element[] {
  const cards = new Set(elements);
  const links = search.find('a').filter((link) => {
    const number = parsePageNumber(link.attribs.href, search.pageUrl);
    return number !== undefined && !search.ancestorsOf(link).some((one) => cards.has(one));
  });
  if (links.length > MAX_LINKS)
    throw new RepairError(`the page has more than ${MAX_LINKS} links to pages of the list`);
  return links;
}

/** Finds the smallest element that contains all links and the number of the requested page. */
function findAround(search: Search, [first, ...others]: readonly Element[]): Element | undefined {
  const sets = others.map((link) => new Set(search.ancestorsOf(link)));
  const around = first ? search.ancestorsOf(first).filter((one) => sets.every((set) => set.has(one))) : [];
  return around.slice(0, 4).find((one) => elementsIn(search, one).some((inner) => hasNumber(search, inner)));
}

function describeCurrent(
  search: Search,
  original: string,
  around: Element,
  links: readonly Element[],
): string | undefined {
  const isLinked = (element: Element) =>
    [element, ...search.ancestorsOf(element)].some((one) => links.includes(one));
  const marks = elementsIn(search, around).filter((one) => hasNumber(search, one) && !isLinked(one));
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
      links.every((one) => found.has(one)) &&
      [...found].every((one) => search.ancestorsOf(one).includes(around))
    );
  });
}

/**
 * The first selectors of an element in the page, alone and within what is around the pager. They are made as they are
 * tried, because `search.find` counts the work and there may be thousands of elements.
 */
function describeIn(search: Search, element: Element, around: Element): Iterable<string> {
  const inside = selectorsWithin(search, element, around)
    .filter((one) => !one.startsWith('&'))
    .take(MAX_SELECTORS)
    .toArray();
  const outer = ownSelectors(around).flatMap((one) => inside.map((inner) => `${one} ${inner}`));
  return [...inside, ...outer.take(MAX_SELECTORS - inside.length)];
}

/** Whether the text of an element is the number of the requested page. */
function hasNumber(search: Search, element: Element): boolean {
  return search.sizeOf(element) <= MAX_SIZE && textOf(element).trim() === String(search.pageNumber);
}
