import { type Listing, listEntries } from '../domain/listing.ts';
import { type Card, isReadable } from '../source/source.ts';
import type { ReadPages } from './guard/crawl-index.ts';

/** What became of the cards that the last good crawl could not read. */
export interface Omissions {
  /** Left out of the listing. */
  omitted: number;
  /** In the listing with the record of an earlier crawl. */
  keptFromBefore: number;
}

/** Counts the anime, not the fields: page 1 as it was read last, then the other pages, then the schedule. */
export function countOmissions({ pages, firstAgain, schedule }: ReadPages, listing: Listing): Omissions {
  const ongoing = countPart(
    [firstAgain, ...pages.slice(1)].flatMap(({ cards }) => cards),
    listing.ongoing,
  );
  const scheduled = countPart(
    schedule.groups.flatMap(({ cards }) => cards),
    listEntries(listing.schedule),
  );
  return {
    omitted: ongoing.omitted + scheduled.omitted,
    keptFromBefore: ongoing.keptFromBefore + scheduled.keptFromBefore,
  };
}

function countPart(cards: Card<{ slug: string }>[], listed: { slug: string }[]): Omissions {
  const read = new Set(cards.filter(isReadable).map(({ slug }) => slug));
  const inListing = new Set(listed.map(({ slug }) => slug));
  const slugs = cards.map(({ slug }) => slug);
  const lacking = new Set(slugs.filter((slug) => slug !== undefined && !read.has(slug)));
  const kept = lacking.intersection(inListing).size;
  const nameless = slugs.filter((slug) => slug === undefined).length;
  return { omitted: nameless + lacking.size - kept, keptFromBefore: kept };
}
