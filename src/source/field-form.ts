import type { Element } from './markup/elements.ts';

/** What a field is read from. */
export interface FieldPlace {
  element: Element;
  /** The attribute that has the value; undefined where the form knows which. */
  attribute: string | undefined;
  pageUrl: string;
}

/** How a site writes a field: the parser reads by it, and the repair of selectors finds by it where a field stands. */
export interface FieldForm<Value> {
  /** The raw text, which people see when it cannot be parsed. */
  show(place: FieldPlace): string | undefined;
  /** The value; undefined for a text of another form. */
  parse(text: string, place: FieldPlace): Value | undefined;
  /** Why a text cannot be parsed, where that is not obvious. */
  explain?(text: string): string | undefined;
}
