import type { ListingPart, ListingParts, ReleasePart } from './listing-parts.ts';

/** Joins answers about chosen anime from the parts of an edition, in the form of the whole answers. */

/** Which anime an answer is about; all of them where a criterion is absent. */
export interface AnimeCriteria {
  /** At least one. */
  slugs?: readonly string[] | undefined;
  /** What the search text of an anime has to contain, squeezed. */
  words?: readonly string[] | undefined;
}

/** The slugs of the listed anime that meet the criteria, in the order of the lists. */
export function chooseAnime(
  { searchTexts }: ListingParts,
  { slugs, words = [] }: AnimeCriteria,
): ReadonlySet<string> {
  const isNamed = isAmong(slugs);
  const chosen = new Set<string>();
  for (const [slug, text] of searchTexts) {
    if (isNamed(slug) && words.every((word) => text.includes(word))) chosen.add(slug);
  }
  return chosen;
}

/** The answer of `/api/anime` with these anime alone. */
export function joinListing({ schedule, ongoing }: ListingParts, chosen: ReadonlySet<string>): string {
  const joinChosen = (parts: readonly ListingPart[]) =>
    joinParts(parts.filter(({ slug }) => chosen.has(slug)));
  const groups = schedule.map(
    ({ day, items }) => `{"day":${JSON.stringify(day)},"animeList":${joinChosen(items)}}`,
  );
  return `{"status":true,"data":{"schedule":[${groups.join(',')}],"ongoing":${joinChosen(ongoing)}}}`;
}

/** Which releases an answer is about; all of them where a criterion is absent. */
export interface ReleaseCriteria {
  /** At least one. */
  slugs?: readonly string[] | undefined;
  day?: string | undefined;
}

export function chooseReleases(
  { releases }: ListingParts,
  { slugs, day }: ReleaseCriteria,
): readonly ReleasePart[] {
  const isNamed = isAmong(slugs);
  return releases.filter((one) => isNamed(one.slug) && (day === undefined || one.day === day));
}

/** The answer of `/api/anime/releases` with these releases alone. */
export function joinReleases(releases: readonly ReleasePart[]): string {
  return `{"status":true,"data":${joinParts(releases)}}`;
}

function isAmong(slugs: readonly string[] | undefined): (slug: string) => boolean {
  const named = slugs && new Set(slugs);
  return (slug) => named === undefined || named.has(slug);
}

function joinParts(parts: readonly ListingPart[]): string {
  return `[${parts.map(({ json }) => json).join(',')}]`;
}
