import { load } from 'cheerio/slim';
import { refuse } from '../source.ts';
import { type Element, isElement } from './elements.ts';
import { parseSelector, type Selector } from './selector.ts';

/** A page of a site has a thousand tags. A very large number can keep the HTML parser busy for minutes. */
const MAX_TAGS = 20_000;

/** A parsed page with an index of its elements: searching the tree for each field would cost twice the parsing. */
export interface Page {
  /** Every element, in page order. */
  readonly elements: readonly Element[];
  /**
   * The elements that match a selector of `parseSelector`, in page order. `&` in it means any element of `scopes`.
   */
  find(selector: string, scopes?: ReadonlySet<Element>): Element[];
  /** The number of elements that `find` compares with a selector, without their ancestors. */
  countCandidates(selector: string): number;
  /** The position of an element among all elements of the page. */
  orderOf(element: Element): number;
  /** The position of an element among its siblings, from 1. */
  positionOf(element: Element): number;
}

/** Parses a page. Throws AppError `source-changed` when it is larger than any page of a site. */
export function parseMarkup(html: string): Page {
  if (hasTooManyTags(html)) refuse(`the page has more than ${MAX_TAGS} tags`);
  const { byName, elements } = indexElements(load(html).root().contents().toArray());
  const sets = new Map<string, ReadonlySet<Element>>();
  let order: ReadonlyMap<Element, number> | undefined;
  let positions: ReadonlyMap<Element, number> | undefined;

  function candidatesFor({ steps: [own] }: Selector): readonly Element[] {
    const name = own?.classes[0] === undefined ? own?.tag : `.${own.classes[0]}`;
    return name === undefined ? elements : (byName.get(name) ?? []);
  }

  function elementsNamed(name: string): ReadonlySet<Element> {
    const known = sets.get(name) ?? new Set(byName.get(name));
    sets.set(name, known);
    return known;
  }

  function matchesStep(
    element: Element,
    { tag, id, classes, attribute, position }: Selector['steps'][number],
  ) {
    if (tag !== undefined && element.name !== tag) return false;
    if (id !== undefined && element.attribs.id !== id) return false;
    if (attribute !== undefined && element.attribs[attribute] === undefined) return false;
    if (!classes.every((name) => elementsNamed(`.${name}`).has(element))) return false;
    return position === undefined || positionOf(element) === position;
  }

  function positionOf(element: Element): number {
    positions ??= countPositions(elements);
    return positions.get(element) ?? 0;
  }

  function matches(element: Element, selector: Selector, scopes: ReadonlySet<Element> | undefined): boolean {
    const [own, ...around] = selector.steps;
    if (!own || !matchesStep(element, own)) return false;
    let node = element.parent;
    for (const step of around) {
      while (node && isElement(node) && !selector.isPath && !matchesStep(node, step)) node = node.parent;
      if (!node || !isElement(node) || !matchesStep(node, step)) return false;
      node = node.parent;
    }
    return !selector.isAnchored || (node !== null && isElement(node) && scopes?.has(node) === true);
  }

  return {
    elements,
    find(text, scopes) {
      const selector = parseSelector(text);
      return candidatesFor(selector).filter((element) => matches(element, selector, scopes));
    },
    countCandidates: (text) => candidatesFor(parseSelector(text)).length,
    positionOf,
    orderOf(element) {
      order ??= new Map(elements.map((one, index) => [one, index]));
      return order.get(element) ?? -1;
    },
  };
}

/** Whether there are more `<`, which begin every tag, than a page of a site has. It does not parse. */
export function hasTooManyTags(html: string): boolean {
  let count = 0;
  for (let at = html.indexOf('<'); at !== -1 && count <= MAX_TAGS; at = html.indexOf('<', at + 1)) count += 1;
  return count > MAX_TAGS;
}

function countPositions(elements: readonly Element[]): Map<Element, number> {
  const counts = new Map<unknown, number>();
  return new Map(
    elements.map((element) => {
      const position = (counts.get(element.parent) ?? 0) + 1;
      counts.set(element.parent, position);
      return [element, position];
    }),
  );
}

/** A page of a site is nested twenty deep. The limit bounds the recursion and the cost of a search. */
const MAX_DEPTH = 200;
/** The most tags and classes together; a page of a site has two thousand. */
const MAX_NAMES = 100_000;

interface ElementIndex {
  /** Each tag and each class (with its dot), and the elements that have it, in page order. */
  byName: Map<string, Element[]>;
  /** Every element, in page order. */
  elements: Element[];
}

/**
 * Indexes the elements of a page. Throws AppError `source-changed` when the page is nested deeper or has more elements
 * than any page of a site.
 */
function indexElements(roots: readonly object[]): ElementIndex {
  const byName = new Map<string, Element[]>();
  const elements: Element[] = [];
  let names = 0;

  function add(name: string, element: Element): void {
    names += 1;
    if (names > MAX_NAMES) refuse(`the page has more than ${MAX_NAMES} elements and classes`);
    const known = byName.get(name);
    if (!known) byName.set(name, [element]);
    else if (known.at(-1) !== element) known.push(element);
  }

  function visit(nodes: readonly object[], depth: number): void {
    if (depth > MAX_DEPTH) refuse(`the page is nested more than ${MAX_DEPTH} deep`);
    for (const node of nodes) {
      if (!isElement(node)) continue;
      elements.push(node);
      add(node.name, node);
      for (const [name] of node.attribs.class?.matchAll(/\S+/gu) ?? []) add(`.${name}`, node);
      visit(node.children, depth + 1);
    }
  }

  visit(roots, 0);
  return { byName, elements };
}
