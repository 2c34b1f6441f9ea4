import type { AnimeRecord } from '../domain/anime-record.ts';
import type { AnimeListing, Releases } from './schemas/listing.ts';
import type { FromSchema } from './schemas/schema.ts';
import { searchTextOf } from './search-text.ts';

/** An item of an answer. */
export interface ListingPart {
  slug: string;
  /** The item as the whole answer has it. */
  json: string;
}

/**
 * The items of the listing's answers, each rendered once for an edition. Answers about chosen anime are put together from them.
 * It is plain data, because one thread renders it and another one uses it.
 */
export interface ListingParts {
  /** What each listed anime is found by (`searchTextOf`), by its slug, in the order of the lists. */
  searchTexts: ReadonlyMap<string, string>;
  schedule: readonly { day: string; items: readonly ListingPart[] }[];
  ongoing: readonly ListingPart[];
  releases: readonly ReleasePart[];
}

export interface ReleasePart extends ListingPart {
  day: string;
}

/** Takes apart the answers of `/api/anime` and `/api/anime/releases`. */
export function takeApart(
  records: readonly AnimeRecord[],
  { data: { schedule, ongoing } }: FromSchema<typeof AnimeListing>,
  { data: releases }: FromSchema<typeof Releases>,
): ListingParts {
  const listed = records.filter(({ leftAt }) => leftAt === null);
  return {
    searchTexts: new Map(listed.map((record) => [record.slug, searchTextOf(record)])),
    schedule: schedule.map(({ day, animeList }) => ({ day, items: animeList.map(toPart) })),
    ongoing: ongoing.map(toPart),
    releases: releases.map((release) => ({ ...toPart(release), day: release.day })),
  };
}

function toPart(item: { slug: string }): ListingPart {
  return { slug: item.slug, json: JSON.stringify(item) };
}
