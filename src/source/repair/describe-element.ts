import { type Element, isElement } from '../markup/elements.ts';
import { isName, isTag } from '../markup/selector.ts';
import type { Search } from './search.ts';

const MAX_CLASSES = 4;
const MAX_CLASS_TEXT = 1_000;
const MAX_AROUND = 3;
const MAX_PATH = 8;
/** What an element is about, where its class does not say. */
const MARKS = ['aria-current', 'itemprop', 'datetime', 'data-title', 'data-episode', 'data-day', 'data-date'];

/** The selectors of an element alone, the most telling first: its classes, its id, its tag. */
export function* describeAlone({ name, attribs }: Element): Generator<string> {
  const classes = attribs.class?.slice(0, MAX_CLASS_TEXT).match(/\S+/gu)?.filter(isName) ?? [];
  for (const one of classes.slice(0, MAX_CLASSES)) yield `.${one}`;
  if (!isTag(name)) return;
  for (const one of classes.slice(0, MAX_CLASSES)) yield `${name}.${one}`;
  if (classes.length > 1) yield `.${classes.slice(0, MAX_CLASSES).join('.')}`;
  for (const mark of MARKS) if (attribs[mark] !== undefined) yield `${name}[${mark}]`;
  yield name;
}

/** The selectors of an element in a container: alone, in what is around it, and by its place. */
export function* describeWithin(search: Search, element: Element, container: Element): Generator<string> {
  const own = [...describeAlone(element)];
  yield* own;
  if (element === container) return;
  const around = search.around(element);
  const inside = around.slice(0, Math.max(0, around.indexOf(container)));
  for (const ancestor of inside.slice(0, MAX_AROUND)) {
    for (const outer of describeAlone(ancestor)) for (const inner of own) yield `${outer} ${inner}`;
  }
  if (inside.length < MAX_PATH && [element, ...inside].every(({ name }) => isTag(name))) {
    const steps = [element, ...inside]
      .reverse()
      .map((one) => `${one.name}:nth-child(${search.page.positionOf(one)})`);
    yield `& > ${steps.join(' > ')}`;
  }
}

/** A selector that only this element of the page matches; undefined when there is none. */
export function describeAlways(search: Search, element: Element): string | undefined {
  const { parent } = element;
  const id = element.attribs.id;
  const own = [...(id !== undefined && isName(id) ? [`#${id}`] : []), ...describeAlone(element)];
  const outer = parent && isElement(parent) ? [...describeAlone(parent)] : [];
  const candidates = [...own, ...outer.flatMap((one) => own.map((inner) => `${one} ${inner}`))];
  return candidates.find((one) => search.find(one).length === 1);
}
