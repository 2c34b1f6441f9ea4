import { excerpt } from '../../../domain/text.ts';
import { type FieldFormat, splitLocation } from '../../field-format.ts';
import { type Element, groupByContainer, isOutsideNoscript } from '../../markup/elements.ts';
import type { Page } from '../../markup/page.ts';
import type { CardFault } from '../../source.ts';
import { checkCardCount } from './page.ts';

export const MAX_FOUND_LENGTH = 60;

/** Reads the fields of one card and collects a fault for each that cannot be parsed. */
export interface CardReader {
  faults: CardFault[];
  /**
   * Returns the value of the one element that matches the location. Adds a fault and returns undefined when no element
   * or more than one matches, or when the text has another format.
   */
  field<Value>(name: string, location: string, format: FieldFormat<Value>): Value | undefined;
}

/** Returns a function from a card's element to its reader. Throws AppError `source-changed` for too many cards. */
export function createCardReaders(
  page: Page,
  pageUrl: string,
  items: readonly Element[],
): (item: Element) => CardReader {
  checkCardCount(items.length);
  const matches = new Map<string, Map<Element, Element[]>>();
  const find = (item: Element, selector: string) => {
    const found =
      matches.get(selector) ?? groupByContainer(page.find(selector, items).filter(isOutsideNoscript), items);
    matches.set(selector, found);
    return found.get(item) ?? [];
  };
  return (item) => {
    const faults: CardFault[] = [];
    return {
      faults,
      field(name, location, format) {
        const { selector, attribute } = splitLocation(location);
        const [element, ...others] = find(item, selector);
        const place = element && others.length === 0 ? { element, attribute, pageUrl } : undefined;
        const text = (place && format.rawText(place)) ?? '';
        const value = place && format.parse(text, place);
        if (value !== undefined) return value;
        const shown = excerpt(text, MAX_FOUND_LENGTH);
        const why = shown && format.explain?.(shown);
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
