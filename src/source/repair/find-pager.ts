import { type Element, textOf } from '../markup/elements.ts';
import { findMatching, ownSelectors, selectorsWithin } from './element-selectors.ts';
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
  const container = findContainer(search, links);
  const current = container && findCurrentSelector(search, originals.current ?? '', container, links);
  if (!container || current === undefined)
    throw new RepairError(`current: no element near the links has the number of page ${search.pageNumber}`);
  const candidates = [originals.pager ?? '', ...listSelectors(search, first, container)];
  const pager = findMatching(search, candidates, links, (one) => search.ancestorsOf(one).includes(container));
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
function findContainer(search: Search, [first, ...others]: readonly Element[]): Element | undefined {
  const sets = others.map((link) => new Set(search.ancestorsOf(link)));
  const common = first ? search.ancestorsOf(first).filter((one) => sets.every((set) => set.has(one))) : [];
  return common.slice(0, 4).find((one) => elementsIn(search, one).some((inner) => hasNumber(search, inner)));
}

function findCurrentSelector(
  search: Search,
  original: string,
  container: Element,
  links: readonly Element[],
): string | undefined {
  const isLinked = (element: Element) =>
    [element, ...search.ancestorsOf(element)].some((one) => links.includes(one));
  const marks = elementsIn(search, container).filter((one) => hasNumber(search, one) && !isLinked(one));
  const isMark = new Set(marks);
  const matchesMark = (selector: string) => {
    const [found, ...others] = search.find(selector);
    return found !== undefined && others.length === 0 && isMark.has(found);
  };
  if (matchesMark(original)) return original;
  // Lazy, so that `search.find` limits the work before selectors of thousands of elements are listed.
  return marks
    .values()
    .flatMap((mark) => listSelectors(search, mark, container))
    .find(matchesMark);
}

/** Lists the first selectors of an element: its own, and those below the element around the pager. */
function listSelectors(search: Search, element: Element, container: Element): Iterable<string> {
  const inside = selectorsWithin(search, element, container)
    .filter((one) => !one.startsWith('&'))
    .take(MAX_SELECTORS)
    .toArray();
  const outer = ownSelectors(container).flatMap((one) => inside.map((inner) => `${one} ${inner}`));
  return [...inside, ...outer.take(MAX_SELECTORS - inside.length)];
}

/** Whether the text of an element is the number of the requested page. */
function hasNumber(search: Search, element: Element): boolean {
  return search.sizeOf(element) <= MAX_SIZE && textOf(element).trim() === String(search.pageNumber);
}
