import { AppError } from '../../../domain/errors.ts';
import { type Element, isElement } from './elements.ts';

/** A page of the site is nested twenty deep. The limit bounds the recursion and the cost of a search. */
const MAX_DEPTH = 200;
/** The most tags and classes together; a page of the site has two thousand. */
const MAX_NAMES = 100_000;

/**
 * Maps each tag and each class (with its dot) to the elements that have it, in page order. Throws AppError
 * `source-changed` when the page is nested deeper or has more elements than any page of the site.
 */
export function indexElements(roots: readonly object[]): Map<string, Element[]> {
  const index = new Map<string, Element[]>();
  let names = 0;

  function add(name: string, element: Element): void {
    names += 1;
    if (names > MAX_NAMES) refuse(`has more than ${MAX_NAMES} elements and classes`);
    const known = index.get(name);
    if (!known) index.set(name, [element]);
    else if (known.at(-1) !== element) known.push(element);
  }

  function visit(nodes: readonly object[], depth: number): void {
    if (depth > MAX_DEPTH) refuse(`is nested more than ${MAX_DEPTH} deep`);
    for (const node of nodes) {
      if (!isElement(node)) continue;
      add(node.name, node);
      for (const [name] of node.attribs.class?.matchAll(/\S+/gu) ?? []) add(`.${name}`, node);
      visit(node.children, depth + 1);
    }
  }

  visit(roots, 0);
  return index;
}

function refuse(reason: string): never {
  throw new AppError('source-changed', `the page ${reason}`);
}
