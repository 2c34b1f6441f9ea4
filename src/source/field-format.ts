import type { Element } from './markup/elements.ts';

/** An element or attribute that a field is read from; a location (`splitLocation`) finds it in a card. */
export interface FieldPlace {
  element: Element;
  /** The attribute with the value; undefined lets the format choose. */
  attribute: string | undefined;
  pageUrl: string;
}

/** `.cover img@data-src` → the selector, and the attribute with the value; undefined for the text of the element. */
export function splitLocation(location: string): { selector: string; attribute: string | undefined } {
  const at = location.lastIndexOf('@');
  if (at < 0) return { selector: location, attribute: undefined };
  return { selector: location.slice(0, at), attribute: location.slice(at + 1) };
}

/** The format of a field on a site. The parser reads with it, and the repair of selectors finds the field with it. */
export interface FieldFormat<Value> {
  /** The raw text, which messages quote when it cannot be parsed. */
  rawText(place: FieldPlace): string | undefined;
  /** The value; undefined when the text has another format. */
  parse(text: string, place: FieldPlace): Value | undefined;
}
