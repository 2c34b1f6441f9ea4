import type { Medium } from '../../domain/broadcast.ts';
import { listEntries, type Snapshot } from '../../domain/listing.ts';
import { readTitle, type TitleKey } from './titles.ts';

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
 * The titles by which a rule compares. One without a mark has that of the romaji or native one: "X" beside "X 2nd Season" is a
 * sloppy name of the second season, and not the first.
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
