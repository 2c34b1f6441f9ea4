import type { CheerioAPI } from 'cheerio/slim';
import type { CardFault } from '../../source.ts';
import { tidy } from '../../vocabulary.ts';

export type Elements = ReturnType<CheerioAPI>;

const LONGEST_FOUND = 60;
const LONGEST_TITLE = 300;

/** Reads the fields of one card and notes those that cannot be read, so that a card is a whole record or its faults. */
export function createCardReader(card: Elements) {
  const faults: CardFault[] = [];

  /** What `read` makes of what was found; a fault when that is nothing. */
  function field<Value>(name: string, found: string | undefined, read: (found: string) => Value | undefined) {
    const value = found === undefined ? undefined : read(found);
    if (value === undefined) faults.push({ field: name, found: tidy(found ?? '').slice(0, LONGEST_FOUND) });
    return value;
  }

  return {
    faults,
    field,
    /** The text of the one element that matches: with none or several we would be guessing. */
    text<Value>(name: string, selector: string, read: (found: string) => Value | undefined) {
      const matches = card.find(selector);
      return field(name, matches.length === 1 ? matches.text() : undefined, read);
    },
  };
}

export function readTitle(text: string): string | undefined {
  const title = tidy(text);
  return title && title.length <= LONGEST_TITLE ? title : undefined;
}
