import type { CheerioAPI } from 'cheerio/slim';

export type Element = ReturnType<ReturnType<CheerioAPI>['find']>[number];

/** The longest text that is read of a field or a label. */
export const MAX_TEXT_LENGTH = 1_000;
const TEXT_NODE = 3;

/** The text content. A longer one than `MAX_TEXT_LENGTH` is cut and ends in an ellipsis, so that it never parses. */
export function textOf(element: Element): string {
  let text = '';
  const collect = (nodes: Element['children']) => {
    for (const node of nodes) {
      if (text.length > MAX_TEXT_LENGTH) return;
      if (node.nodeType === TEXT_NODE && 'data' in node) text += node.data;
      else if (isElement(node) && node.name !== 'script' && node.name !== 'style') collect(node.children);
    }
  };
  collect(element.children);
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

export function isElement(node: object): node is Element {
  return 'attribs' in node;
}

export function isWithin(element: Element, containers: ReadonlySet<Element>): boolean {
  return ancestorsOf(element).some((ancestor) => containers.has(ancestor));
}

/**
 * Maps each container to the elements inside it, itself included; an element inside several containers is in each list.
 */
export function groupByContainer(
  elements: readonly Element[],
  containers: readonly Element[],
): Map<Element, Element[]> {
  const groups = new Map<Element, Element[]>(containers.map((container) => [container, []]));
  for (const element of elements)
    for (let node: Element['parent'] = element; node && isElement(node); node = node.parent)
      groups.get(node)?.push(element);
  return groups;
}

/** Whether no ancestor is a `noscript`, which repeats an image that is loaded lazily. */
export function isOutsideNoscript(element: Element): boolean {
  return !ancestorsOf(element).some(({ name }) => name === 'noscript');
}

/** The ancestors, from the parent to the root. */
export function ancestorsOf(element: Element): Element[] {
  const ancestors: Element[] = [];
  for (let node = element.parent; node && isElement(node); node = node.parent) ancestors.push(node);
  return ancestors;
}
