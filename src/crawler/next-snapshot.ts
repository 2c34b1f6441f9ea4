import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../domain/event.ts';
import {
  bySlug,
  changedAt,
  LEFT_KEPT_MS,
  type LeftAnime,
  type LeftSlot,
  type Listing,
  listEntries,
  listedSlugs,
  type OngoingAnime,
  type Snapshot,
} from '../domain/listing.ts';
import { dateCards } from '../domain/source-date.ts';
import { WEEK_MS } from '../domain/units.ts';
import { isNewEpisode, type ListReading, recordCards } from './record-cards.ts';
import { beginEpoch } from './stored-listing.ts';

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
  if (!lastGood) {
    return {
      ...listing,
      scheduleChangedAt: now,
      ongoingChangedAt: now,
      epoch: beginEpoch(now),
      lastEvent: 0,
      ledger: recordCards(undefined, listing, reading),
    };
  }
  const at = Math.max(now, changedAt(lastGood) + 1_000);
  const isSameSchedule = isDeepStrictEqual(listing.schedule, lastGood.schedule);
  const isSameOngoing = isDeepStrictEqual(listing.ongoing, lastGood.ongoing);
  if (isSameSchedule && isSameOngoing) return lastGood;
  const [ongoing, listed] = [bySlug(listing.ongoing), listedSlugs(listing)];
  const gone = lastGood.ongoing.filter(({ slug }) => !ongoing.has(slug));
  const slots = listEntries(lastGood.schedule).map(
    ({ slug, ...slot }) => [slug, { leftAt: at, ...slot }] as const,
  );
  const lastAt = Math.min(at, changedAt(lastGood));
  const left = keepLeft<LeftAnime>(
    { ...lastGood.left, ...Object.fromEntries(gone.map((anime) => [anime.slug, { leftAt: at, anime }])) },
    lastAt,
    // One that came back is not `added` again within a week.
    (slug) => (ongoing.has(slug) ? WEEK_MS : LEFT_KEPT_MS),
  );
  const leftSchedule = keepLeft<LeftSlot>(
    { ...lastGood.leftSchedule, ...Object.fromEntries(slots) },
    lastAt,
    (slug) => (listed.has(slug) ? -Infinity : LEFT_KEPT_MS),
  );
  return {
    ...lastGood,
    ...listing,
    revision: (lastGood.revision ?? 0) + 1,
    scheduleChangedAt: isSameSchedule ? lastGood.scheduleChangedAt : at,
    ongoingChangedAt: isSameOngoing ? lastGood.ongoingChangedAt : at,
    left,
    leftSchedule,
    ledger: keepKnown(recordCards(lastGood, listing, reading), listing, { ...left, ...leftSchedule }),
    ...(lastGood.details && { details: keepKnown(lastGood.details, listing, { ...left, ...leftSchedule }) }),
  };
}

/**
 * The changes that become events. An anime that comes back within a week was not away, and that it leaves again is no event
 * either. `silent` anime have no new episode.
 */
export function diffOngoing(
  before: Snapshot | undefined,
  after: Listing,
  { at, silent }: ListReading,
): Change[] {
  const known = bySlug(before?.ongoing ?? []);
  const listed = new Set(after.ongoing.map((anime) => anime.slug));
  const dates = dateCards(after.ongoing, at);
  const changes = after.ongoing.flatMap((anime, index): Change[] => {
    const { slug, title, episode, day, date } = anime;
    const last = known.get(slug) ?? recentlyLeft(before, slug, at);
    const claims = before?.ledger[slug] ?? [];
    const isChanged = last ? last.episode !== episode || last.date !== date : claims.length > 0;
    const isNew = isChanged && !silent.has(slug) && isNewEpisode(claims, anime, dates[index] as string);
    return [
      ...(last ? [] : [{ type: 'added' as const, slug, title, episode, day }]),
      ...(isNew ? [{ type: 'new-episode' as const, slug, title, episode, day }] : []),
      ...(last && last.day !== day ? [{ type: 'moved' as const, slug, title, from: last.day, to: day }] : []),
    ];
  });
  const left = [...known.values()].filter(({ slug }) => !listed.has(slug) && !recentlyLeft(before, slug, at));
  return [...changes, ...left.map(({ slug, title }): Change => ({ type: 'left', slug, title }))];
}

/** The last record of an anime that left in the last week. */
function recentlyLeft(snapshot: Snapshot | undefined, slug: string, now: number): OngoingAnime | undefined {
  const left = snapshot?.left?.[slug];
  return left && left.leftAt > now - WEEK_MS ? left.anime : undefined;
}

/** What is known of the anime that are listed, or were in the last 90 days. */
function keepKnown<Value>(
  known: Readonly<Record<string, Value>> = {},
  listing: Listing,
  left: Record<string, unknown>,
): Record<string, Value> {
  const listed = listedSlugs(listing);
  return Object.fromEntries(Object.entries(known).filter(([slug]) => listed.has(slug) || left[slug]));
}

/** What left, as long as it is kept: counted to the last change, so that a clock that is ahead for one crawl ends nothing. */
function keepLeft<Left extends { leftAt: number }>(
  all: Record<string, Left>,
  now: number,
  keptMs: (slug: string) => number,
): Record<string, Left> {
  const kept = Object.entries(all).filter(([slug, { leftAt }]) => leftAt > now - keptMs(slug));
  return Object.fromEntries(kept.slice(-MAX_LEFT));
}
