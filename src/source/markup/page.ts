import { load } from 'cheerio/slim';
import { refusePage } from '../source.ts';
import { type Element, groupByContainer, isElement, isOutsideNoscript } from './elements.ts';

/** A page of a site has a thousand tags. A very large number can keep the HTML parser busy for minutes. */
const MAX_TAGS = 20_000;
/** A page of a site is nested twenty deep. The limit bounds the recursion and the cost of a search. */
const MAX_DEPTH = 100;

/** A tag or a class. Most selectors of a site are one of these, and a general search takes five times as long. */
const SIMPLE_SELECTOR = /^(?:([a-z][a-z\d]*)|\.([a-z][\w-]*))$/u;

/** A parsed page. */
export interface Page {
  /** Every element, in page order. */
  readonly elements: readonly Element[];
  /** The elements that match a CSS selector, in page order. */
  find(selector: string): Element[];
  /** The position of an element among all elements of the page. */
  orderOf(element: Element): number;
}

/** Parses a page. Throws AppError `source-changed` when it is larger or nested deeper than any page of a site. */
export function parseMarkup(html: string): Page {
  if (hasTooManyTags(html)) refusePage(`the page has more than ${MAX_TAGS} tags`);
  const $ = load(html);
  const elements = listElements($.root().contents().toArray());
  const order = new Map(elements.map((element, index) => [element, index]));
  const found = new Map<string, Element[]>();
  const byTag = Map.groupBy(elements, ({ name }) => name);
  const byClass = groupByClass(elements);
  const search = (selector: string): Element[] => {
    const [, tag, name = ''] = SIMPLE_SELECTOR.exec(selector) ?? [];
    if (tag !== undefined) return byTag.get(tag) ?? [];
    if (name) return byClass.get(name) ?? [];
    // Only elements match a selector, whatever the type says.
    return $(selector).toArray() as Element[];
  };
  return {
    elements,
    find(selector) {
      const matches = found.get(selector) ?? search(selector);
      found.set(selector, matches);
      return matches;
    },
    orderOf: (element) => order.get(element) ?? -1,
  };
}

/** Maps each container to the elements in it that match, without those in a `noscript`. */
export function findIn(
  page: Pick<Page, 'find'>,
  selector: string,
  containers: readonly Element[],
): Map<Element, Element[]> {
  return groupByContainer(page.find(selector).filter(isOutsideNoscript), containers);
}

/** Whether there are more `<`, which begin every tag, than a page of a site has. It does not parse. */
export function hasTooManyTags(html: string): boolean {
  let count = 0;
  for (let at = html.indexOf('<'); at !== -1 && count <= MAX_TAGS; at = html.indexOf('<', at + 1)) count += 1;
  return count > MAX_TAGS;
}

function groupByClass(elements: readonly Element[]): Map<string, Element[]> {
  const groups = new Map<string, Element[]>();
  for (const element of elements) {
    for (const name of new Set(element.attribs.class?.match(/\S+/gu))) {
      const group = groups.get(name);
      if (group) group.push(element);
      else groups.set(name, [element]);
    }
  }
  return groups;
}

function listElements(roots: readonly object[]): Element[] {
  const elements: Element[] = [];
  const visit = (nodes: readonly object[], depth: number) => {
    if (depth > MAX_DEPTH) refusePage(`the page is nested more than ${MAX_DEPTH} deep`);
    for (const node of nodes) {
      if (!isElement(node)) continue;
      elements.push(node);
      visit(node.children, depth + 1);
    }
  };
  visit(roots, 0);
  return elements;
}
