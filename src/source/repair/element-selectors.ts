import { ancestorsOf, type Element, isElement } from '../markup/elements.ts';

const NAME = /^[\p{L}\p{N}_-]{1,60}$/u;
const TAG = /^[a-z][\w-]{0,59}$/u;
const MAX_CLASSES = 4;
const MAX_CLASS_TEXT = 1_000;
const MAX_ANCESTORS = 3;
/** Attributes that say what an element contains, for elements without a class. */
const MEANINGFUL_ATTRIBUTES =
  'aria-current itemprop datetime data-title data-episode data-day data-date'.split(' ');

/** Yields selectors from the id, classes, attributes and tag of an element, the most specific kind first. */
export function* ownSelectors({ name, attribs }: Element): Generator<string> {
  if (NAME.test(attribs.id ?? '')) yield `#${attribs.id}`;
  const classes =
    attribs.class
      ?.slice(0, MAX_CLASS_TEXT)
      .match(/\S+/gu)
      ?.filter((one) => NAME.test(one))
      .slice(0, MAX_CLASSES) ?? [];
  for (const one of classes) yield `.${one}`;
  if (!TAG.test(name)) return;
  for (const one of classes) yield `${name}.${one}`;
  if (classes.length > 1) yield `.${classes.join('.')}`;
  for (const attribute of MEANINGFUL_ATTRIBUTES)
    if (attribs[attribute] !== undefined) yield `${name}[${attribute}]`;
  yield name;
}

/** Yields selectors of an element in a container: its own, those below its ancestors there, and its positions. */
export function* selectorsWithin(element: Element, container?: Element): Generator<string> {
  const own = [...ownSelectors(element)];
  yield* own;
  if (element === container) return;
  const around = ancestorsOf(element);
  const inside = container ? around.slice(0, around.indexOf(container)) : around;
  for (const ancestor of inside.slice(0, MAX_ANCESTORS)) {
    for (const outer of ownSelectors(ancestor)) for (const inner of own) yield `${outer} ${inner}`;
  }
  let path = '';
  for (const one of [element, ...inside].slice(0, 1 + MAX_ANCESTORS)) {
    if (!TAG.test(one.name)) return;
    path = `${one.name}:nth-child(${positionOf(one)})${path && ` > ${path}`}`;
    yield path;
  }
}

/** The position of an element among its siblings, from 1. */
function positionOf(element: Element): number {
  const siblings: readonly object[] = element.parent?.children ?? [];
  return siblings.filter(isElement).indexOf(element) + 1;
}
