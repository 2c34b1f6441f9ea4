import { bySlug, type Listing, listEntries } from '../domain/listing.ts';
import type { CardOmission } from '../domain/operational-event.ts';
import type { Place, Reading } from './reading.ts';
import type { Part, Statement } from './statement.ts';

/** The cards of a reading that are left out, or have a record of before. */
export interface Omissions {
  omissions: CardOmission[];
  /** How many cards are left out, and how many have a record of before. */
  omitted: number;
  keptFromBefore: number;
}

/** The cards that cannot be read, or that are not believed because a page contradicts them. */
export function listOmissions(
  { list, week, stray }: Reading,
  doubts: readonly Statement[],
  listing: Listing,
): Omissions {
  const listed = bySlug(listing.ongoing);
  const scheduled = bySlug(listEntries(listing.schedule));
  const doubted = Map.groupBy(doubts, ({ part, slug }) => `${part} ${slug}`);
  const describe = (place: Place & { slug: string }, part: Part, isRead: boolean) => {
    const own = doubted.get(`${part} ${place.slug}`) ?? [];
    const faults = isRead ? own.flatMap(({ fault }) => fault ?? []) : place.faults;
    return { place, faults, kept: (part === 'schedule' ? scheduled : listed).has(place.slug) };
  };
  const unread = [
    ...[...list.values()].map((one) => describe(one, 'list', one.anime !== undefined)),
    ...[...week.values()].map((one) => describe(one, 'schedule', one.days.length > 0)),
  ].filter(({ faults }) => faults.length > 0);
  const strays = stray.map((place) => ({ place, faults: place.faults, kept: false }));
  const omissions = [...unread, ...strays].flatMap(({ place: { page, card }, faults, kept }) =>
    faults.map(({ missing: _, ...fault }) => ({ page, card, ...fault, kept })),
  );
  const keptFromBefore = unread.filter(({ kept }) => kept).length;
  return { omissions, keptFromBefore, omitted: stray.length + unread.length - keptFromBefore };
}
