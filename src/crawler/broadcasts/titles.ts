import { fold } from '../belief/titles.ts';

/** A title as a key for comparisons, with the numbers of season and part taken out of it. */
export interface TitleKey {
  /** Letters and digits alone. Long vowels, which are spelt in several ways, are short. */
  key: string;
  /** Undefined where the title has no such mark, which usually means the first. */
  season: number | undefined;
  part: number | undefined;
}

const WORDS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];
const ROMAN = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix'];
const KANJI = [...'一二三四五六七八九'];
const NUMBER = '\\d{1,2}';
const ORDINAL = `${NUMBER}(?:st|nd|rd|th)|${WORDS.join('|')}`;
const JAPANESE = `第?(${NUMBER}|[${KANJI.join('')}])`;

const SEASONS = [
  `\\b(${ORDINAL}) season\\b`,
  `\\b(?:season |s)(${NUMBER})\\b`,
  `${JAPANESE}(?:期|${fold('シーズン')})`,
  '(?<=\\S )(ii|iii|iv|vi|vii|viii|ix)$',
  // "Gintama2" as well as "Gintama 2".
  '(?<=\\p{L} ?)([2-9])$',
].map((mark) => new RegExp(mark, 'u'));
const PARTS = [
  `\\b(?:part|cour) (${NUMBER}|${ROMAN.join('|')})\\b`,
  `\\b(${ORDINAL}) (?:part|cour)\\b`,
  `${JAPANESE}${fold('クール')}`,
].map((mark) => new RegExp(mark, 'u'));

/** "Oshi no Ko 3rd Season" → the key of "oshi no ko", season 3. The key of a title of signs alone is empty. */
export function readTitle(title: string): TitleKey {
  const signs = fold(title).replaceAll('×', 'x').replaceAll('&', ' and ').replace(/['’`]/gu, '');
  const text = signs.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  const part = takeMark(text, PARTS);
  const season = takeMark(part.rest, SEASONS);
  const key = season.rest.replaceAll(' ', '').replace(/(?<=o)[ou]|(?<=u)u/gu, '');
  return key
    ? { key, season: season.number, part: part.number }
    : { key: text, season: undefined, part: undefined };
}

function takeMark(text: string, marks: readonly RegExp[]): { rest: string; number: number | undefined } {
  const found = marks.map((mark) => mark.exec(text)).find((one) => one !== null);
  if (!found?.[1]) return { rest: text, number: undefined };
  const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`;
  const place = Math.max(...[WORDS, ROMAN, KANJI].map((names) => names.indexOf(found[1] ?? '')));
  return { rest: rest.trim(), number: place >= 0 ? place + 1 : Number.parseInt(found[1], 10) };
}
