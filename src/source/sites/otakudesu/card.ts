import type { CardFault } from '../../source.ts';
import { tidy } from '../../vocabulary.ts';
import { ancestorsOf, type Element, type Page } from './page.ts';

const LONGEST_FOUND = 60;
const LONGEST_TITLE = 300;

/** Reads fields of one card and notes those that cannot be read, so that a card is a whole record or its faults. */
export interface CardReader {
  faults: CardFault[];
  /**
   * What `read` makes of what `show` finds in the one element that matches: with none or several we would be
   * guessing. A fault, and undefined, when that is nothing.
   */
  field<Value>(
    name: string,
    selector: string,
    read: (shown: string, element: Element) => Value | undefined,
    show?: (element: Element) => string | undefined,
  ): Value | undefined;
}

/** Hands out a reader for each of these cards. */
export function openCards(page: Page, items: readonly Element[]): (item: Element) => CardReader {
  const cards = new Set(items);
  const columns = new Map<string, Map<Element, Element[]>>();
  const find = (item: Element, selector: string) => {
    const column = columns.get(selector) ?? sortByCard(page.find(selector), cards);
    columns.set(selector, column);
    return column.get(item) ?? [];
  };
  return (item) => {
    const faults: CardFault[] = [];
    return {
      faults,
      field(name, selector, read, show = page.textOf) {
        const [element, ...others] = find(item, selector);
        const one = others.length === 0 ? element : undefined;
        const shown = (one && show(one)) ?? '';
        const value = one && read(shown, one);
        if (value !== undefined) return value;
        const found = tidy(shown).slice(0, LONGEST_FOUND);
        faults.push({ field: name, found, ...(!element && { missing: selector }) });
        return undefined;
      },
    };
  };
}

/** What stands in a `noscript` is there twice. */
function sortByCard(elements: Element[], cards: ReadonlySet<Element>): Map<Element, Element[]> {
  const column = new Map<Element, Element[]>();
  for (const element of elements) {
    const ancestors = ancestorsOf(element);
    if (ancestors.some(({ name }) => name === 'noscript')) continue;
    for (const card of ancestors.filter((ancestor) => cards.has(ancestor))) {
      column.set(card, [...(column.get(card) ?? []), element]);
    }
  }
  return column;
}

export function readTitle(text: string): string | undefined {
  const title = tidy(text);
  return title && title.length <= LONGEST_TITLE ? title : undefined;
}

export const hrefOf = (link: Element): string | undefined => link.attribs.href;
