import { isDeepStrictEqual } from 'node:util';
import { type ListReading, recordCards } from '../belief/record.ts';
import { bySlug, type Listing, listEntries, listedSlugs } from '../domain/listing.ts';
import {
  changedAt,
  LEFT_KEPT_MS,
  type LeftAnime,
  type LeftSlot,
  type Renamed,
  type Snapshot,
} from '../domain/snapshot.ts';
import { WEEK_MS } from '../domain/units.ts';
import { beginEpoch } from '../store/stored-listing.ts';

/** How many anime are remembered that have left. */
const MAX_LEFT = 2_000;

/**
 * The snapshot that follows `lastGood`: the same object when nothing is different. HTTP dates have whole seconds, so two
 * changes are at least a second apart: otherwise a conditional request could miss the later one.
 */
export function nextSnapshot(
  listing: Listing,
  lastGood: Snapshot | undefined,
  reading: ListReading,
): Snapshot {
  const { at: now } = reading;
  const { ongoing } = listing;
  const recorded = recordCards(lastGood?.ledger ?? {}, { before: lastGood?.ongoing, ongoing }, reading);
  if (!lastGood) {
    return {
      ...listing,
      scheduleChangedAt: now,
      ongoingChangedAt: now,
      epoch: beginEpoch(now),
      lastEvent: 0,
      ledger: recorded,
    };
  }
  const at = Math.max(now, changedAt(lastGood) + 1_000);
  const isSameSchedule = isDeepStrictEqual(listing.schedule, lastGood.schedule);
  const isSameOngoing = isDeepStrictEqual(ongoing, lastGood.ongoing);
  if (isSameSchedule && isSameOngoing && isDeepStrictEqual(recorded, lastGood.ledger)) return lastGood;
  const current = bySlug(ongoing);
  const listed = listedSlugs(listing);
  const gone = lastGood.ongoing.filter(({ slug }) => !current.has(slug));
  const records = gone.map((anime) => [anime.slug, { leftAt: at, anime }]);
  const slots = listEntries(lastGood.schedule).map(({ slug, ...slot }) => [slug, { leftAt: at, ...slot }]);
  // Counted to the last change, so that a clock that is ahead for one crawl ends nothing.
  const lastAt = Math.min(at, changedAt(lastGood));
  // An anime that comes back within a week is not `added` again.
  const left = keep<LeftAnime>(
    { ...lastGood.left, ...Object.fromEntries(records) },
    (slug, { leftAt }) => leftAt > lastAt - (current.has(slug) ? WEEK_MS : LEFT_KEPT_MS),
    MAX_LEFT,
  );
  const leftSchedule = keep<LeftSlot>(
    { ...lastGood.leftSchedule, ...Object.fromEntries(slots) },
    (slug, { leftAt }) => !listed.has(slug) && leftAt > lastAt - LEFT_KEPT_MS,
    MAX_LEFT,
  );
  const renamed = keep<Renamed>(lastGood.renamed ?? {}, (_, one) => one.at > lastAt - LEFT_KEPT_MS);
  const isKnown = (slug: string) => listed.has(slug) || slug in left || slug in leftSchedule;
  return {
    ...lastGood,
    ...listing,
    revision: (lastGood.revision ?? 0) + 1,
    scheduleChangedAt: isSameSchedule ? lastGood.scheduleChangedAt : at,
    ongoingChangedAt: isSameOngoing ? lastGood.ongoingChangedAt : at,
    left,
    leftSchedule,
    ...(lastGood.renamed && { renamed }),
    ledger: keep(recorded, isKnown),
    ...(lastGood.details && { details: keep(lastGood.details, isKnown) }),
  };
}

/** The last `max` values that are kept. */
function keep<Value>(
  values: Readonly<Record<string, Value>>,
  isKept: (slug: string, value: Value) => boolean,
  max = Infinity,
): Record<string, Value> {
  const kept = Object.entries(values).filter(([slug, value]) => isKept(slug, value));
  return Object.fromEntries(kept.slice(-max));
}
