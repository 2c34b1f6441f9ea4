import type { CheerioAPI } from 'cheerio/slim';
import type { CardFault } from '../../source.ts';
import { tidy } from '../../vocabulary.ts';

export type Elements = ReturnType<CheerioAPI>;

const LONGEST_FOUND = 60;
const LONGEST_TITLE = 300;

/** Reads the fields of one card and notes those that cannot be read, so that a card is a whole record or its faults. */
export function createCardReader(card: Elements) {
  const faults: CardFault[] = [];

  /**
   * What `read` makes of what `show` finds in the one element that matches: with none or several we would be
   * guessing. A fault, and undefined, when that is nothing.
   */
  function field<Value>(
    name: string,
    selector: string,
    read: (element: Elements) => Value | undefined,
    show: (element: Elements) => string | undefined = (element) => element.text(),
  ): Value | undefined {
    const matches = card.find(selector).not('noscript *');
    const value = matches.length === 1 ? read(matches) : undefined;
    if (value !== undefined) return value;
    const found = matches.length === 1 ? tidy(show(matches) ?? '').slice(0, LONGEST_FOUND) : '';
    faults.push({ field: name, found, ...(matches.length === 0 && { missing: selector }) });
    return undefined;
  }

  return { faults, field };
}

export function readTitle(element: Elements): string | undefined {
  const title = tidy(element.text());
  return title && title.length <= LONGEST_TITLE ? title : undefined;
}

/** How a field whose text is read by `read` is read from its element. */
export function text<Value>(read: (text: string) => Value | undefined) {
  return (element: Elements): Value | undefined => read(element.text());
}
