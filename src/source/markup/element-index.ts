import { refuse } from '../source.ts';
import { type Element, isElement } from './elements.ts';

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
export function indexElements(roots: readonly object[]): ElementIndex {
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
