import { ancestorsOf, type Element, isElement } from '../markup/elements.ts';
import type { Search } from './search.ts';

const NAME = /^[\p{L}\p{N}_-]{1,60}$/u;
const TAG = /^[a-z][\w-]{0,59}$/u;
const MAX_CLASSES = 4;
const MAX_CLASS_TEXT = 1_000;
const MAX_ANCESTORS = 3;
const MAX_PATH_STEPS = 8;
/** How many selectors of an element are tried. */
export const MAX_CANDIDATES = 60;
/** Attributes that say what an element contains, for elements without a class. */
const MEANINGFUL_ATTRIBUTES = [
  'aria-current',
  'itemprop',
  'datetime',
  'data-title',
  'data-episode',
  'data-day',
  'data-date',
];

/** Yields selectors from the classes, attributes and tag of an element, the most specific kind first. */
export function* ownSelectors({ name, attribs }: Element): Generator<string> {
  const classes =
    attribs.class
      ?.slice(0, MAX_CLASS_TEXT)
      .match(/\S+/gu)
      ?.filter((one) => NAME.test(one)) ?? [];
  for (const one of classes.slice(0, MAX_CLASSES)) yield `.${one}`;
  if (!TAG.test(name)) return;
  for (const one of classes.slice(0, MAX_CLASSES)) yield `${name}.${one}`;
  if (classes.length > 1) yield `.${classes.slice(0, MAX_CLASSES).join('.')}`;
  for (const attribute of MEANINGFUL_ATTRIBUTES)
    if (attribs[attribute] !== undefined) yield `${name}[${attribute}]`;
  yield name;
}

/**
 * Yields selectors of an element in a container, or of the container: its own, those below its ancestors, and its path.
 * Without a container it yields no path.
 */
export function* selectorsWithin(element: Element, container: Element | undefined): Generator<string> {
  const own = [...ownSelectors(element)];
  yield* own;
  if (element === container) return;
  const around = ancestorsOf(element);
  const inside = container ? around.slice(0, around.indexOf(container)) : around;
  for (const ancestor of inside.slice(0, MAX_ANCESTORS)) {
    for (const outer of ownSelectors(ancestor)) for (const inner of own) yield `${outer} ${inner}`;
  }
  const path = [element, ...inside];
  if (container && inside.length < MAX_PATH_STEPS && path.every(({ name }) => TAG.test(name))) {
    const steps = path.reverse().map((one) => `${one.name}:nth-child(${positionOf(one)})`);
    yield `& > ${steps.join(' > ')}`;
  }
}

/** The position of an element among its siblings, from 1. */
function positionOf(element: Element): number {
  const siblings: readonly object[] = element.parent?.children ?? [];
  return siblings.filter(isElement).indexOf(element) + 1;
}

/** Finds a selector that matches this element of the page and no other; undefined when there is none. */
export function findUniqueSelector(search: Search, element: Element): string | undefined {
  const { id } = element.attribs;
  const own = id !== undefined && NAME.test(id) ? [`#${id}`] : [];
  const candidates = [...own, ...Iterator.from(selectorsWithin(element, undefined)).take(MAX_CANDIDATES)];
  return candidates.find((selector) => matchesOnly(search, selector, [element]));
}

/** Whether a selector matches all of these elements and no other. */
export function matchesOnly(search: Search, selector: string, wanted: readonly Element[]): boolean {
  const found = search.find(selector);
  return found.length === wanted.length && found.every((one) => wanted.includes(one));
}
