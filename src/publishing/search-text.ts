import type { AnimeRecord } from '../domain/anime-record.ts';

/** The same rule as the search on the front page (pages/assets/filter.js). */

/** Removes what does not matter in a search: case, accents, spaces, hyphens and marks. */
export function squeeze(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** What an anime is found by, squeezed, one a line: its title, the initials of its words, its slug, and its other titles. */
export function searchTextOf({ title, slug, details, medium }: AnimeRecord): string {
  const initials = title.split(/[^\p{L}\p{N}]+/u).map((word) => word.charAt(0));
  const name = slug.replace(/-sub(?:title)?-indo(?:nesia)?$/u, '');
  const names = [title, initials.join(''), name, details?.japanese ?? '', medium?.english ?? ''];
  return names.map(squeeze).join('\n');
}
