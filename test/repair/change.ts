import { type CheerioAPI, load } from 'cheerio';

/** One change of the pages of a site. */
export interface Change {
  /** The description in the table. */
  name: string;
  /** The row of the table that it counts in. */
  row: string;
  kind: 'rename' | 'restructure' | 'lie';
  apply(html: string, path: string): string;
}

export type Edit = ($: CheerioAPI, path: string) => void;

/** A change that is made on the elements of a page. */
export function editing(kind: Change['kind'], row: string, name: string, edit: Edit): Change {
  return {
    kind,
    row,
    name,
    apply(html, path) {
      const $ = load(html);
      edit($, path);
      return $.html();
    },
  };
}

/** Returns a class name that depends on the text alone. */
function rename(text: string): string {
  let hash = 7;
  for (const letter of text) hash = (hash * 31 + letter.charCodeAt(0)) % 2_147_483_647;
  return `c${hash.toString(36)}`;
}

/** Renames the classes for which `isMeant` is true, everywhere on the page. */
export function renameClasses($: CheerioAPI, isMeant: (name: string) => boolean): void {
  for (const element of $('body [class]').toArray()) {
    const names = element.attribs.class?.split(/\s+/u).filter(Boolean) ?? [];
    element.attribs.class = names.map((name) => (isMeant(name) ? rename(name) : name)).join(' ');
  }
}
