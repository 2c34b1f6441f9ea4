import type { CardFault } from '../source/source.ts';

export type PageName = 'schedule' | 'ongoing';

/** The file to change when the markup of a page has changed: it has the selectors of all pages. */
export function selectorsFile(siteName: string): string {
  return `src/source/sites/${siteName}/selectors.ts`;
}

/** The files that parse the text of a field. */
const FIELD_PARSERS: Record<string, string> = {
  episode: 'src/source/vocabulary.ts',
  day: 'src/source/vocabulary.ts',
  date: 'src/source/vocabulary.ts',
  slug: 'src/source/address.ts',
  image: 'src/source/address.ts',
};

/** The file to change for a fault: the one with the selectors, or the one that parses the text of the field. */
export function fileToFix(siteName: string, { field, found }: CardFault): string {
  return (found && FIELD_PARSERS[field]) || selectorsFile(siteName);
}
