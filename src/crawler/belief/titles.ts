/** Comparisons of titles, slugs and cover files, which all name an anime. */

const SUFFIX = /(?:sub(?:t\w{0,4}le)?ind(?:o(?:nesia)?)?|indo(?:nesia)?)$/u;
const MIN_SIMILARITY = 0.6;

/** A title as a key for comparisons: case, accents, punctuation, white space and a closing "Sub Indo" are ignored. */
export function titleKey(text: string): string {
  const letters = fold(text).replace(/[^\p{L}\p{N}]+/gu, '');
  return letters.replace(SUFFIX, '') || letters || text.trim();
}

/** The part of a cover's address that stays the same when the host or the size changes. */
export function coverPath(image: string): string {
  const path = URL.parse(image)?.pathname ?? image;
  return path
    .split('/')
    .slice(-3)
    .join('/')
    .replace(/-\d+x\d+(?=\.\w+$)/u, '');
}

/** Whether two keys differ by spelling at most: six tenths of their pairs of letters are the same. */
export function areSimilar(one: string, other: string): boolean {
  if (one === other) return true;
  const [pairs, others] = [pairsOf(one), pairsOf(other)];
  return pairs.intersection(others).size >= pairs.union(others).size * MIN_SIMILARITY && pairs.size > 0;
}

function pairsOf(key: string): Set<string> {
  const letters = [...key];
  return new Set(letters.slice(1).map((letter, index) => `${letters[index]}${letter}`));
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** What other places have as the title of an anime. */
interface OtherTitles {
  /** The cover's text, which repeats the title. */
  alt: string;
  /** The title on the other page, and the last good one. */
  other: string | undefined;
  known: string | undefined;
}

/**
 * The whole title where a theme has cut this one: it ends in dots, or in the midst of a word, or two other places have more.
 * `isCutting`: whether other titles of the pages are cut, so that one place is enough.
 */
export function completeTitle(title: string, { alt, other, known }: OtherTitles, isCutting: boolean): string {
  const start = title.replace(/\s*(?:…|\.{3}|\[…\])$/u, '');
  const shown = [other, alt.replace(/(?:\s+sub(?:title)?)?\s+indo(?:nesia)?$/iu, '')];
  if (start === title && shown.includes(title)) return title;
  const whole = [...shown, known].filter((one) => one && one.length > start.length && one.startsWith(start));
  const [first = title, second] = whole.filter((one) => one !== title);
  const isInWord = /\p{L}$/u.test(start) && /^\p{L}/u.test(first.slice(start.length)) && first !== known;
  return start !== title || isCutting || isInWord || first === second ? first : title;
}
