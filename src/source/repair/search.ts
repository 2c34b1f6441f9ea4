import type { FieldFormat, FieldPlace } from '../field-format.ts';
import { type Element, isElement } from '../markup/elements.ts';
import type { Page } from '../markup/page.ts';
import type { KnownAnime } from './page-model.ts';

/** The most work on one page, in visited nodes: some 400 ms. A page of a site takes a quarter of it. */
const MAX_WORK = 800_000;
/** The cost of a selector, and of each element it matches. */
const SELECTOR_WORK = 20;
const MATCH_WORK = 8;
const MAX_ATTRIBUTES = 12;
const MAX_TEXT_LENGTH = 2_048;
/** Attributes that never have the value of a field. */
const SKIPPED = new Set(['class', 'id']);

/** The selectors of a page cannot be repaired. The message is for the operator. */
export class RepairError extends Error {}

/** A page, and the last good records of its anime. */
export interface SearchedPage {
  page: Page;
  pageUrl: string;
  /** The anime of the last good listing, by slug. */
  known: ReadonlyMap<string, KnownAnime>;
}

/** One search for the selectors of a page. Throws RepairError when it takes too much work. */
export interface Search extends SearchedPage {
  /** As `Page.find`. */
  find: Page['find'];
  /** The number of nodes in an element, itself included; inner elements count twice. */
  sizeOf(element: Element): number;
  /** Parses the text of an element, or of an attribute; undefined when it does not have the format. */
  read(format: FieldFormat<unknown>, element: Element, attribute?: string): unknown;
  /** Whether there is any text in the place of a field. */
  hasText(format: FieldFormat<unknown>, element: Element, attribute?: string): boolean;
}

export function createSearch(searched: SearchedPage): Search {
  const { page, pageUrl } = searched;
  const sizes = measure(page.elements);
  const sizeOf = (element: Element) => sizes.get(element) ?? 1;
  /** What it costs to count the places of all elements among their siblings. */
  const placing = page.elements.reduce((sum, { children }) => sum + children.length ** 2, 0) / 8;
  let left = MAX_WORK;

  function spend(work: number): void {
    left -= work;
    if (left < 0) throw new RepairError('the page is too large to be searched');
  }

  function readText(format: FieldFormat<unknown>, place: FieldPlace): string {
    spend(place.attribute === undefined ? 4 + sizeOf(place.element) : 4);
    return format.rawText(place) ?? '';
  }

  return {
    ...searched,
    sizeOf,
    find(selector) {
      spend(SELECTOR_WORK + page.elements.length / 2 + (selector.includes(':nth-child') ? placing : 0));
      const found = page.find(selector);
      spend(found.length * MATCH_WORK);
      return found;
    },
    read(format, element, attribute) {
      const place = { element, attribute, pageUrl };
      const text = readText(format, place);
      return text.length > MAX_TEXT_LENGTH ? undefined : format.parse(text, place);
    },
    hasText: (format, element, attribute) => readText(format, { element, attribute, pageUrl }).trim() !== '',
  };
}

/** The names of the first attributes of an element that may have a value. */
export function attributesOf({ attribs }: Element): string[] {
  return Object.keys(attribs)
    .filter((name) => !SKIPPED.has(name) && name.length <= 40 && /^[a-z][\w-]*$/u.test(name))
    .slice(0, MAX_ATTRIBUTES);
}

function measure(elements: readonly Element[]): Map<Element, number> {
  const sizes = new Map<Element, number>();
  for (const element of elements.toReversed()) {
    const size = (sizes.get(element) ?? 0) + 1 + element.children.length;
    sizes.set(element, size);
    if (element.parent && isElement(element.parent)) {
      sizes.set(element.parent, (sizes.get(element.parent) ?? 0) + size);
    }
  }
  return sizes;
}
