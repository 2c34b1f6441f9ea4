import { excerpt } from '../../../domain/text.ts';
import type { FieldForm } from '../../field-form.ts';
import { type Element, groupByContainer, isOutsideNoscript } from '../../markup/elements.ts';
import type { Page } from '../../markup/page.ts';
import { splitLocation } from '../../markup/selector.ts';
import type { CardFault } from '../../source.ts';
import { checkCardCount } from './page.ts';

export const MAX_FOUND_LENGTH = 60;

/** Reads the fields of one card and collects a fault for each that cannot be parsed. */
export interface CardReader {
  faults: CardFault[];
  /**
   * Finds the element that matches the location and returns the value that it has in this form. Adds a fault and
   * returns undefined when nothing or more than one element matches, or when the value is of another form.
   */
  field<Value>(name: string, location: string, form: FieldForm<Value>): Value | undefined;
}

/** Returns a function from a card's element to its reader. Throws AppError `source-changed` for too many cards. */
export function createCardReaders(
  page: Page,
  pageUrl: string,
  items: readonly Element[],
): (item: Element) => CardReader {
  checkCardCount(items.length);
  const scopes = new Set(items);
  const matches = new Map<string, Map<Element, Element[]>>();
  const find = (item: Element, selector: string) => {
    const found =
      matches.get(selector) ?? groupByContainer(page.find(selector, scopes).filter(isOutsideNoscript), items);
    matches.set(selector, found);
    return found.get(item) ?? [];
  };
  return (item) => {
    const faults: CardFault[] = [];
    return {
      faults,
      field(name, location, form) {
        const { selector, attribute } = splitLocation(location);
        const [element, ...others] = find(item, selector);
        const place = element && others.length === 0 ? { element, attribute, pageUrl } : undefined;
        const text = (place && form.rawText(place)) ?? '';
        const value = place && form.parse(text, place);
        if (value !== undefined) return value;
        const shown = excerpt(text, MAX_FOUND_LENGTH);
        const why = shown && form.explain?.(shown);
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
