import { cleanText } from '../../../domain/text.ts';

/** What the text of a row says, after the title of the anime. Editors write it by hand. */

const WORD = /[\p{L}\p{N}]+/gu;
/** What a heading has after the title: `(Episode 1 – 12) Subtitle Indonesia + Special`. */
const AFTER_TITLE = /\s*(?:\(episode\b|\bsub(?:title)?\s+indo).*$/isu;

const LABEL = String.raw`(?:episode|eps?)\b[\s.:]*`;
/** `8`, `7.5`, `8v2`: another version of an episode is the same episode. */
const NUMBER = String.raw`\d+(?:[.,]\d+)*(?:\s?v\d+)?`;
const BETWEEN = String.raw`(?:\s*[-–—~&+,]\s*|\s+(?:dan|and|sampai|hingga|s\/d)\s+)`;
const NUMBERS = `${NUMBER}(?:${BETWEEN}(?:${LABEL})?${NUMBER})*`;
/** A number that goes on in a way that is not understood is none: `8th`, `8/9`. */
const END = String.raw`(?![\p{L}\p{N}]|[.,]\d|\s*[-–—~&+/]\s*\d)`;
/** `Episode 8`, `Eps. 8 & 9`, `Episode 8 dan Episode 9` */
const NUMBERED = new RegExp(String.raw`\b${LABEL}(${NUMBERS})${END}`, 'giu');
/** The same without the word, directly after the title. */
const BARE = new RegExp(String.raw`^[\s:–—-]*(${NUMBERS})${END}(?=\s*(?:[([]|sub\b|subtitle\b|$))`, 'iu');
const RANGE = /[-–—~]|sampai|hingga|s\/d/iu;

const SPECIAL = String.raw`\b(?:specials?|spesial|sp|ova|oad|movie|film|bd|blu-?ray|recap|rangkuman|omake|extra|ekstra|bonus|trailer|preview|pv)\b`;
const HAS_SPECIAL = new RegExp(SPECIAL, 'iu');
const BEGINS_SPECIAL = new RegExp(String.raw`^[\s([:–—-]*${SPECIAL}`, 'iu');
const ENDS_SPECIAL = new RegExp(String.raw`${SPECIAL}[\s:–—-]*$`, 'iu');
/** All episodes together. */
const BATCH = /\bbatch\b/iu;
/** What follows the number of the last episode. */
const LAST_MARK = /^[\s.:–—-]*[([]?\s*(?:end|tamat)\b/iu;

const MAX_TITLES = 8;
const MAX_EPISODE = 99_999;
/** A row with more episodes is no release of one day. */
const MAX_EPISODES = 4;

/** Each title as its words, in lower case, with the end of each in the text. */
export type TitleWords = readonly (readonly { word: string; end: number }[])[];

/** The whole episodes of a row, the lowest first; none for a special, which is no episode, whatever number it has. */
export interface ParsedRow {
  episodes: number[];
  /** Whether it marks the last one. */
  isLast: boolean;
}

const A_SPECIAL: ParsedRow = { episodes: [], isLast: false };

/**
 * Reads the text of a row: `TITLE Episode 8 (End) Subtitle Indonesia`. A title may have numbers and the word "Special" itself,
 * so the part after it decides. Undefined where that cannot be read.
 */
export function parseRow(text: string, titles: TitleWords): ParsedRow | undefined {
  const cleaned = cleanText(text);
  const end = findTitleEnd(cleaned, titles);
  const isTitled = end > 0;
  const rest = cleaned.slice(end);
  if (BATCH.test(rest)) return undefined;
  // The number is the last one named so: an unknown title may have one as well.
  const numbered = [...rest.matchAll(NUMBERED)].at(-1) ?? (isTitled ? BARE.exec(rest) : null);
  if (!numbered) return (isTitled ? HAS_SPECIAL : BEGINS_SPECIAL).test(rest) ? A_SPECIAL : undefined;
  const before = rest.slice(0, numbered.index);
  const after = rest.slice(numbered.index + numbered[0].length);
  if ((isTitled ? HAS_SPECIAL : ENDS_SPECIAL).test(before) || BEGINS_SPECIAL.test(after)) return A_SPECIAL;
  const isBare = !new RegExp(LABEL, 'iu').test(numbered[0]);
  return parseNumbers(numbered[1] ?? '', isBare, LAST_MARK.test(after));
}

/** `8`, `8 & 9`, `8 – 10`. A fraction and 0 are specials. `isBare`: a single number may count the season. */
function parseNumbers(text: string, isBare: boolean, isLast: boolean): ParsedRow | undefined {
  const numbers = text.replace(/v\d+/giu, '').match(/\d+(?:[.,]\d+)*/gu) ?? [];
  const [first = '', ...others] = numbers;
  if (others.length === 0 && isFraction(first)) return A_SPECIAL;
  if (numbers.some((number) => !/^\d+$/u.test(number))) return undefined;
  const from = Number(first);
  const to = Number(others.at(-1) ?? first);
  if (others.length === 0 && isBare) return undefined;
  if (others.length === 0 && from === 0) return A_SPECIAL;
  const isRange = numbers.length === 2 && RANGE.test(text);
  const isRun = isRange || numbers.every((number, index) => Number(number) === from + index);
  const count = to - from + 1;
  if (!isRun || from < 1 || to > MAX_EPISODE || count < numbers.length || count > MAX_EPISODES)
    return undefined;
  return { episodes: Array.from({ length: count }, (_, index) => from + index), isLast };
}

/** `7.5`, `7,5`. Two numbers in a row may be two episodes: `8,9`. */
function isFraction(text: string): boolean {
  const [, whole, mark, part] = /^(\d+)([.,])(\d+)$/u.exec(text) ?? [];
  return whole !== undefined && !(mark === ',' && Number(part) === Number(whole) + 1);
}

/** The words of the titles of an anime, each also without the suffix of a heading. */
export function splitTitles(titles: readonly string[]): TitleWords {
  const all = titles.slice(0, MAX_TITLES).flatMap((title) => [title, title.replace(AFTER_TITLE, '')]);
  return all.map(splitWords);
}

/** Where the longest of the titles ends that the text begins with, compared by their words; 0 for none. */
function findTitleEnd(text: string, titles: TitleWords): number {
  const words = splitWords(text);
  const lengths = titles.map((title) =>
    title.every(({ word }, index) => word === words[index]?.word) ? title.length : 0,
  );
  return words[Math.max(0, ...lengths) - 1]?.end ?? 0;
}

function splitWords(text: string): { word: string; end: number }[] {
  return [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    word: word.normalize('NFKC').toLowerCase(),
    end: index + word.length,
  }));
}
