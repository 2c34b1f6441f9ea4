/** Comparisons of titles. */

const SUFFIX = /(?:sub(?:t\w{0,4}le)?ind(?:o(?:nesia)?)?|indo(?:nesia)?)$/u;
const MIN_SIMILARITY = 0.6;

/** A title as a key for comparisons: case, accents, punctuation, white space and a closing "Sub Indo" are ignored. */
export function titleKey(text: string): string {
  const letters = fold(text).replace(/[^\p{L}\p{N}]+/gu, '');
  return letters.replace(SUFFIX, '') || letters || text.trim();
}

/** Whether two keys differ by spelling at most: six tenths of their pairs of letters are the same. */
export function areSimilar(one: string, other: string): boolean {
  if (one === other) return true;
  const pairs = pairsOf(one);
  const others = pairsOf(other);
  return pairs.intersection(others).size >= pairs.union(others).size * MIN_SIMILARITY && pairs.size > 0;
}

function pairsOf(key: string): Set<string> {
  const letters = [...key];
  return new Set(letters.slice(1).map((letter, index) => `${letters[index]}${letter}`));
}

/** Lower case without accents; letters in their usual width. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The whole title where a theme has cut this one, so that it ends in dots, and another place has more of it. */
export function completeTitle(title: string, others: readonly (string | undefined)[]): string {
  const start = title.replace(/\s*(?:…|\.{3}|\[…\])$/u, '');
  if (start === title) return title;
  return others.find((one) => one?.startsWith(start) && one.length > title.length) ?? title;
}
