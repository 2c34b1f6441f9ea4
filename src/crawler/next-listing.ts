import { isDeepStrictEqual } from 'node:util';
import { animeLink } from '../domain/anime-record.ts';
import type { AnimeEvent, Change } from '../domain/event.ts';
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
import { DAY_MS, WEEK_MS } from '../domain/units.ts';
import { withoutFuture } from './clock.ts';
import { isNewEpisode, type ListReading, recordCards } from './record-cards.ts';
import { beginEpoch, type StoredListing } from './stored-listing.ts';

/** How many anime are remembered that have left. */
const MAX_LEFT = 2_000;
/** How long events are kept for clients that were away. */
const EVENTS_KEPT_MS = 30 * DAY_MS;
/** Bounds the log when the source keeps changing its whole list. */
const MAX_EVENTS = 10_000;

/**
 * What is stored next: what is known, followed by what is new since, with its events. The same object when nothing has
 * changed. The first listing has no events. `mirror`: the origin that served the listing.
 */
export function nextListing(
  read: Listing,
  known: StoredListing | undefined,
  reading: ListReading,
  mirror: string,
): { listing: StoredListing; changes: Change[] } {
  const before = known?.snapshot;
  const changes = diffOngoing(before, read, reading);
  const next = nextSnapshot(read, before, reading);
  if (!before) return { listing: { snapshot: next, events: [] }, changes };
  if (next === before) return { listing: known, changes: [] };
  const snapshot = { ...next, lastEvent: before.lastEvent + changes.length };
  return { listing: { snapshot, events: appendEvents(known, changes, next, mirror) }, changes };
}

/** The listing after a clock was ahead: what it dated is of `now`, and the years of the list are read again. */
export function correctTimes(listing: StoredListing, now: number): StoredListing {
  const snapshot = withoutFuture(listing.snapshot, now);
  const events = listing.events.map(({ at, ...event }) =>
    at > now ? { toldAt: at, ...event, at: now } : { ...event, at },
  );
  const ledger = recordCards(snapshot, snapshot, { at: now });
  return { snapshot: { ...snapshot, ledger, revision: (snapshot.revision ?? 0) + 1 }, events };
}

/** The log with these changes, without events that are too old. An anime that has left the list has the cover that it had. */
function appendEvents(
  { snapshot: before, events: log }: StoredListing,
  changes: readonly Change[],
  after: Snapshot,
  mirror: string,
): AnimeEvent[] {
  const at = changedAt(after);
  const shown = bySlug([...before.ongoing, ...after.ongoing]);
  const added = changes.map((change, index): AnimeEvent => {
    const image = shown.get(change.slug)?.image;
    const isReturn = change.type === 'added' && before.left?.[change.slug] !== undefined;
    return {
      ...{ number: before.lastEvent + index + 1, at, ...change, link: animeLink(mirror, change.slug) },
      ...(image && { image }),
      ...(isReturn && { isReturn }),
    };
  });
  // Counted to the last event: a client that is up to date names it, and a clock that is ahead for one crawl ends nothing.
  const now = Math.min(at, log.at(-1)?.at ?? at);
  return [...log.filter((event) => event.at > now - EVENTS_KEPT_MS), ...added].slice(-MAX_EVENTS);
}

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
    const changedAt = { scheduleChangedAt: now, ongoingChangedAt: now };
    const ledger = recordCards(undefined, listing, reading);
    return { ...listing, ...changedAt, epoch: beginEpoch(now), lastEvent: 0, ledger };
  }
  const at = Math.max(now, changedAt(lastGood) + 1_000);
  const isSameSchedule = isDeepStrictEqual(listing.schedule, lastGood.schedule);
  const isSameOngoing = isDeepStrictEqual(listing.ongoing, lastGood.ongoing);
  if (isSameSchedule && isSameOngoing) return lastGood;
  const [ongoing, listed] = [bySlug(listing.ongoing), listedSlugs(listing)];
  const gone = lastGood.ongoing.filter(({ slug }) => !ongoing.has(slug));
  const records = gone.map((anime) => [anime.slug, { leftAt: at, anime }]);
  const slots = listEntries(lastGood.schedule).map(({ slug, ...slot }) => [slug, { leftAt: at, ...slot }]);
  // Counted to the last change, so that a clock that is ahead for one crawl ends nothing.
  const lastAt = Math.min(at, changedAt(lastGood));
  // One that came back is not `added` again within a week.
  const left = keep<LeftAnime>(
    { ...lastGood.left, ...Object.fromEntries(records) },
    (slug, { leftAt }) => leftAt > lastAt - (ongoing.has(slug) ? WEEK_MS : LEFT_KEPT_MS),
    MAX_LEFT,
  );
  const leftSchedule = keep<LeftSlot>(
    { ...lastGood.leftSchedule, ...Object.fromEntries(slots) },
    (slug, { leftAt }) => !listed.has(slug) && leftAt > lastAt - LEFT_KEPT_MS,
    MAX_LEFT,
  );
  const isKnown = (slug: string) => listed.has(slug) || slug in left || slug in leftSchedule;
  return {
    ...lastGood,
    ...listing,
    revision: (lastGood.revision ?? 0) + 1,
    scheduleChangedAt: isSameSchedule ? lastGood.scheduleChangedAt : at,
    ongoingChangedAt: isSameOngoing ? lastGood.ongoingChangedAt : at,
    ...{ left, leftSchedule },
    ledger: keep(recordCards(lastGood, listing, reading), isKnown),
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

/**
 * The changes that become events. An anime that comes back within a week was not away, and that it leaves again is no event
 * either. `silent` anime have no new episode.
 */
function diffOngoing(before: Snapshot | undefined, after: Listing, { at, silent }: ListReading): Change[] {
  const known = bySlug(before?.ongoing ?? []);
  const recentlyLeft = (slug: string): OngoingAnime | undefined => {
    const left = before?.left?.[slug];
    return left && left.leftAt > at - WEEK_MS ? left.anime : undefined;
  };
  const listed = bySlug(after.ongoing);
  const dates = dateCards(after.ongoing, at);
  const changes = after.ongoing.flatMap((anime, index): Change[] => {
    const { slug, title, episode, day, date } = anime;
    const last = known.get(slug) ?? recentlyLeft(slug);
    const claims = before?.ledger[slug] ?? [];
    const isChanged = last ? last.episode !== episode || last.date !== date : claims.length > 0;
    const isNew = isChanged && !silent?.has(slug) && isNewEpisode(claims, anime, dates[index] as string);
    return [
      ...(last ? [] : [{ type: 'added' as const, slug, title, episode, day }]),
      ...(isNew ? [{ type: 'new-episode' as const, slug, title, episode, day }] : []),
      ...(last && last.day !== day ? [{ type: 'moved' as const, slug, title, from: last.day, to: day }] : []),
    ];
  });
  const left = [...known.values()].filter(({ slug }) => !listed.has(slug) && !recentlyLeft(slug));
  return [...changes, ...left.map(({ slug, title }): Change => ({ type: 'left', slug, title }))];
}
