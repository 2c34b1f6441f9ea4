import type { CheerioAPI } from 'cheerio/slim';

export type Element = ReturnType<ReturnType<CheerioAPI>['find']>[number];

/** The longest text of an element that is read: a field or a label. */
export const MAX_TEXT = 1_000;
const TEXT_NODE = 3;

/** Its text. One that is longer than `MAX_TEXT` is cut there, and ends in an ellipsis, so that no word is read half. */
export function textOf(element: Element): string {
  let text = '';
  const collect = (nodes: Element['children']) => {
    for (const node of nodes) {
      if (text.length > MAX_TEXT) return;
      if (node.nodeType === TEXT_NODE && 'data' in node) text += node.data;
      else if (isElement(node) && node.name !== 'script' && node.name !== 'style') collect(node.children);
    }
  };
  collect(element.children);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

export function isElement(node: object): node is Element {
  return 'attribs' in node;
}

export function isWithin(element: Element, frames: ReadonlySet<Element>): boolean {
  return ancestorsOf(element).some((ancestor) => frames.has(ancestor));
}

/** The elements within each of these frames. One that is within several is in the list of each. */
export function sortByFrame(
  elements: readonly Element[],
  frames: readonly Element[],
): Map<Element, Element[]> {
  const sorted = new Map<Element, Element[]>(frames.map((frame) => [frame, []]));
  for (const element of elements)
    for (const ancestor of ancestorsOf(element)) sorted.get(ancestor)?.push(element);
  return sorted;
}

/** From the nearest to the outermost: at most as many as a page may be deep. */
export function ancestorsOf(element: Element): Element[] {
  const ancestors: Element[] = [];
  for (let node = element.parent; node && isElement(node); node = node.parent) ancestors.push(node);
  return ancestors;
}
