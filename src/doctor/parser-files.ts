import type { CardFault } from '../source/source.ts';

export type PageName = 'schedule' | 'ongoing';

/** The file that mends a page whose markup has changed. */
export function parserOf(siteName: string, page: PageName): string {
  return `src/source/sites/${siteName}/${page}-page.ts`;
}

/** What reads a field once its element has been found. */
const READERS: Record<string, string> = {
  episode: 'src/source/vocabulary.ts',
  day: 'src/source/vocabulary.ts',
  date: 'src/source/vocabulary.ts',
  slug: 'src/source/address.ts',
  image: 'src/source/address.ts',
};

/** The file that mends a field: its selector, or what reads the text that was found there. */
export function fileFor(siteName: string, page: PageName, { field, found }: CardFault): string {
  return (found && READERS[field]) || parserOf(siteName, page);
}
