import { AppError } from '../../../domain/errors.ts';
import { type Element, isElement } from './elements.ts';

/** A page of the site is nested twenty deep; the cost of a search grows with the depth. */
const MAX_DEPTH = 200;
/** Tags and classes together. A page of the site has two thousand. */
const MAX_NAMES = 100_000;

/**
 * Every element by its tag and by each of its classes, in the order of the page. Throws AppError `source-changed` when
 * the page is deeper, or has more of them, than any page of the site.
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
