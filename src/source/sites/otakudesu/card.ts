import { cleanText, excerpt, isVisible } from '../../../domain/text.ts';
import type { CardFault } from '../../source.ts';
import { ancestorsOf, type Element, groupByContainer, MAX_TEXT_LENGTH, textOf } from './elements.ts';
import { checkCardCount, type Page } from './page.ts';

export const MAX_FOUND_LENGTH = 60;
const MAX_TITLE_LENGTH = 300;

/** Reads the fields of one card and collects a fault for each that cannot be parsed. */
export interface CardReader {
  faults: CardFault[];
  /**
   * Finds the element that matches the selector, takes its text by `show` (by default its text content) and returns
   * what `parse` makes of it. Adds a fault and returns undefined when nothing or more than one element matches, or when
   * `parse` returns undefined; `explain` adds the reason to the fault.
   */
  field<Value>(
    name: string,
    selector: string,
    parse: (text: string, element: Element) => Value | undefined,
    options?: FieldOptions,
  ): Value | undefined;
}

interface FieldOptions {
  show?: (element: Element) => string | undefined;
  explain?: (found: string) => string | undefined;
}

/** Returns a function from a card's element to its reader. Throws AppError `source-changed` for too many cards. */
export function createCardReaders(page: Page, items: readonly Element[]): (item: Element) => CardReader {
  checkCardCount(items.length);
  const matches = new Map<string, Map<Element, Element[]>>();
  const find = (item: Element, selector: string) => {
    const found =
      matches.get(selector) ?? groupByContainer(page.find(selector).filter(isOutsideNoscript), items);
    matches.set(selector, found);
    return found.get(item) ?? [];
  };
  return (item) => {
    const faults: CardFault[] = [];
    return {
      faults,
      field(name, selector, parse, { show = textOf, explain } = {}) {
        const [element, ...others] = find(item, selector);
        const one = others.length === 0 ? element : undefined;
        const text = (one && show(one)) ?? '';
        const value = one && parse(text, one);
        if (value !== undefined) return value;
        const shown = excerpt(text, MAX_FOUND_LENGTH);
        const why = shown && explain?.(shown);
        faults.push({
          field: name,
          found: shown,
          ...(why && { why }),
          ...(!element && { missing: selector }),
        });
        return undefined;
      },
    };
  };
}

/** A `noscript` repeats an image that is lazily loaded. */
function isOutsideNoscript(element: Element): boolean {
  return !ancestorsOf(element).some(({ name }) => name === 'noscript');
}

/** The cleaned title; undefined when it has no visible character or is too long. */
export function parseTitle(text: string): string | undefined {
  const title = cleanText(text);
  const isWhole = text.length <= MAX_TEXT_LENGTH && title.length <= MAX_TITLE_LENGTH;
  return isWhole && isVisible(title) ? title : undefined;
}

export const hrefOf = (link: Element): string | undefined => link.attribs.href;
