import { cleanText, excerpt, isVisible } from '../../../domain/text.ts';
import type { CardFault } from '../../source.ts';
import { ancestorsOf, type Element, MAX_TEXT, sortByFrame, textOf } from './elements.ts';
import { checkCardCount, type Page } from './page.ts';

export const MAX_FOUND = 60;
const MAX_TITLE = 300;

/** Reads fields of one card and notes those that cannot be read, so that a card is a whole record or its faults. */
export interface CardReader {
  faults: CardFault[];
  /**
   * What `read` makes of what `show` finds in the one element that matches: with none or several we would be
   * guessing. A fault, and undefined, when that is nothing; `explain` says why, where that needs to be said.
   */
  field<Value>(
    name: string,
    selector: string,
    read: (shown: string, element: Element) => Value | undefined,
    options?: FieldOptions,
  ): Value | undefined;
}

interface FieldOptions {
  show?: (element: Element) => string | undefined;
  explain?: (found: string) => string | undefined;
}

/** Hands out a reader for each of these cards. Throws AppError `source-changed` when they are too many. */
export function openCards(page: Page, items: readonly Element[]): (item: Element) => CardReader {
  checkCardCount(items.length);
  const columns = new Map<string, Map<Element, Element[]>>();
  const find = (item: Element, selector: string) => {
    const column = columns.get(selector) ?? sortByFrame(page.find(selector).filter(isShownOnce), items);
    columns.set(selector, column);
    return column.get(item) ?? [];
  };
  return (item) => {
    const faults: CardFault[] = [];
    return {
      faults,
      field(name, selector, read, { show = textOf, explain } = {}) {
        const [element, ...others] = find(item, selector);
        const one = others.length === 0 ? element : undefined;
        const shown = (one && show(one)) ?? '';
        const value = one && read(shown, one);
        if (value !== undefined) return value;
        const found = excerpt(shown, MAX_FOUND);
        const why = found && explain?.(found);
        faults.push({ field: name, found, ...(why && { why }), ...(!element && { missing: selector }) });
        return undefined;
      },
    };
  };
}

/** What stands in a `noscript` is there twice. */
function isShownOnce(element: Element): boolean {
  return !ancestorsOf(element).some(({ name }) => name === 'noscript');
}

/** A title that shows nothing, or goes on and on, is none. */
export function readTitle(text: string): string | undefined {
  const title = cleanText(text);
  const isWhole = text.length <= MAX_TEXT && title.length <= MAX_TITLE;
  return isWhole && isVisible(title) ? title : undefined;
}

export const hrefOf = (link: Element): string | undefined => link.attribs.href;
