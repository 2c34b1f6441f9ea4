import type { Medium } from '../../domain/broadcast.ts';
import { listEntries } from '../../domain/listing.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { fold } from '../titles.ts';

/** A shorter title is the beginning of others by chance. */
const MIN_PREFIX = 6;

/** The titles of an anime of the source, or of a medium. */
interface Names {
  native: string | undefined;
  titles: readonly TitleKey[];
  synonyms: readonly TitleKey[];
}

/** When an anime may be a medium, from the surest rule to the least sure. */
const RULES: readonly ((anime: Names, medium: Names) => boolean)[] = [
  (anime, medium) => anime.native !== undefined && anime.native === medium.native,
  ({ titles: [title] }, { titles, synonyms }) =>
    [...titles, ...synonyms].some((other) => other.key === title?.key && isSameSeason(other, title)),
  ({ titles: [title] }, { titles }) =>
    titles.some((other) => title && isBeginning(other.key, title.key) && isSameSeason(other, title)),
];

/**
 * The medium of each anime that is listed, by slug. An anime has at most one and no two share one: where a rule leaves a choice,
 * or two anime of one rule mean the same medium, there is none.
 */
export function joinMedia(
  { ongoing, schedule, details = {} }: Pick<Snapshot, 'ongoing' | 'schedule' | 'details'>,
  media: readonly Medium[],
): Map<string, Medium> {
  const candidates = media.map((medium) => [medium, namesOf(medium)] as const);
  const undecided = new Map(
    [...listEntries(schedule), ...ongoing].map(({ slug, title }) => {
      const native = details[slug]?.details.japanese ?? null;
      return [slug, namesOf({ romaji: title, native })];
    }),
  );
  const taken = new Set<Medium>();
  const joined = new Map<string, Medium>();
  for (const rule of RULES) {
    const claims = [...undecided].flatMap(([slug, names]) => {
      const matches = candidates.filter(([, candidate]) => rule(names, candidate));
      if (matches.length > 0) undecided.delete(slug);
      return matches.length === 1 ? matches.map(([medium]) => ({ slug, medium })) : [];
    });
    for (const [medium, [claim, ...others]] of Map.groupBy(claims, (one) => one.medium)) {
      if (claim && others.length === 0 && !taken.has(medium)) joined.set(claim.slug, medium);
      taken.add(medium);
    }
  }
  return joined;
}

/**
 * The titles by which a rule compares. A title without a mark takes it from the romaji or native one: "X" beside "X 2nd
 * Season" is a sloppy name of the second season, and not the first.
 */
function namesOf(medium: Pick<Medium, 'romaji' | 'native'> & Partial<Medium>): Names {
  const { romaji, english, native, synonyms = [] } = medium;
  const [japanese] = readTitles([native]);
  const marked = readTitles([romaji, native]);
  const season = marked.find((one) => one.season)?.season;
  const part = marked.find((one) => one.part)?.part;
  const complete = (one: TitleKey) => ({ ...one, season: one.season ?? season, part: one.part ?? part });
  return {
    native: japanese && `${japanese.key} ${japanese.season ?? 1} ${japanese.part ?? 1}`,
    titles: readTitles([romaji, english]).map(complete),
    synonyms: readTitles(synonyms).map(complete),
  };
}

function readTitles(titles: readonly (string | null | undefined)[]): TitleKey[] {
  return titles.flatMap((title) => (title ? readTitle(title) : [])).filter(({ key }) => key !== '');
}

function isSameSeason(one: TitleKey, other: TitleKey): boolean {
  return (one.season ?? 1) === (other.season ?? 1) && (one.part ?? 1) === (other.part ?? 1);
}

function isBeginning(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return [...short].length >= MIN_PREFIX && long.startsWith(short);
}

/** A title as a key for comparisons, with the numbers of season and part taken out of it. */
interface TitleKey {
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
function readTitle(title: string): TitleKey {
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
