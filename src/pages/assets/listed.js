// The anime of the listing as data: also those that are on no day of the front page, or left the lists in the last 90 days.
/** @import { ListedAnime } from '../listed-anime.ts' */

/** @type {Map<string, ListedAnime>} */
const known = new Map();

/**
 * Loads them. Rejects where they cannot be loaded.
 * @returns {Promise<readonly ListedAnime[]>}
 */
export async function loadListed() {
  const response = await fetch('/anime.json');
  if (!response.ok) throw new Error(`/anime.json answered ${response.status}`);
  /** @type {{ anime: ListedAnime[] }} */
  const { anime } = await response.json();
  for (const one of anime) known.set(one.slug, one);
  return anime;
}

/**
 * One of those that were loaded.
 * @param {string} slug
 */
export const findListed = (slug) => known.get(slug);
