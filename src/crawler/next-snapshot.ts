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
import { WEEK_MS } from '../domain/units.ts';
import { beginEpoch } from './stored-listing.ts';

/** How many anime keep the number of the highest episode that an event told, where the list shows another one. */
const MAX_HIGHEST = 2_000;
/** How many anime are remembered that have left. */
const MAX_LEFT = 2_000;

/**
 * The snapshot that follows `lastGood`: the same object when nothing is different. HTTP dates have whole seconds, so two
 * changes are at least a second apart: otherwise a conditional request could miss the later one.
 */
export function nextSnapshot(
  listing: Listing,
  lastGood: Snapshot | undefined,
  now: number,
  changes: readonly Change[] = [],
): Snapshot {
  if (!lastGood) {
    return {
      ...listing,
      scheduleChangedAt: now,
      ongoingChangedAt: now,
      epoch: beginEpoch(now),
      lastEvent: 0,
    };
  }
  const at = Math.max(now, changedAt(lastGood) + 1_000);
  const isSameSchedule = isDeepStrictEqual(listing.schedule, lastGood.schedule);
  const isSameOngoing = isDeepStrictEqual(listing.ongoing, lastGood.ongoing);
  if (isSameSchedule && isSameOngoing) return lastGood;
  const left = listLeft(lastGood, listing, at);
  const leftSchedule = listLeftSchedule(lastGood, listing, at);
  return {
    ...lastGood,
    ...listing,
    scheduleChangedAt: isSameSchedule ? lastGood.scheduleChangedAt : at,
    ongoingChangedAt: isSameOngoing ? lastGood.ongoingChangedAt : at,
    highestEpisodes: findHighestEpisodes(lastGood, listing, changes),
    left,
    leftSchedule,
    episodeHistory: keepKnown(lastGood.episodeHistory, listing, { ...left, ...leftSchedule }),
    ...(lastGood.details && { details: keepKnown(lastGood.details, listing, { ...left, ...leftSchedule }) }),
  };
}

/**
 * The changes that become events. An episode is new only above the highest that an event told; `silent` anime have no new
 * episode. An anime that comes back within a week was not away, and that it leaves again is no event either.
 */
export function diffOngoing(
  before: Snapshot | undefined,
  after: Listing,
  { now, silent = new Set() }: { now: number; silent?: ReadonlySet<string> },
): Change[] {
  const known = bySlug(before?.ongoing ?? []);
  const highest = new Map(before?.highestEpisodes);
  const listed = new Set(after.ongoing.map((anime) => anime.slug));
  const changes = after.ongoing.flatMap((anime) => {
    const last = known.get(anime.slug) ?? recentlyLeft(before, anime.slug, now);
    const isChanged = last?.episode !== anime.episode || last.date !== anime.date;
    const told = highest.get(anime.slug) ?? last?.episode ?? 0;
    return changesOf(last, anime, isChanged && !silent.has(anime.slug) ? told : Infinity);
  });
  const left = [...known.values()].filter(
    ({ slug }) => !listed.has(slug) && !recentlyLeft(before, slug, now),
  );
  return [...changes, ...left.map(({ slug, title }): Change => ({ type: 'left', slug, title }))];
}

/** The last record of an anime that left in the last week. */
function recentlyLeft(snapshot: Snapshot | undefined, slug: string, now: number): OngoingAnime | undefined {
  const left = snapshot?.left?.[slug];
  return left && left.leftAt > now - WEEK_MS ? left.anime : undefined;
}

/** `told`: above it, an episode is new. */
function changesOf(
  before: OngoingAnime | undefined,
  { slug, title, episode, day }: OngoingAnime,
  told: number,
): Change[] {
  if (!before) return [{ type: 'added', slug, title, episode, day }];
  const changes: Change[] = [];
  if (episode > told) changes.push({ type: 'new-episode', slug, title, episode, day });
  if (day !== before.day) changes.push({ type: 'moved', slug, title, from: before.day, to: day });
  return changes;
}

/** The highest episode that an event told of each anime whose listed one is another, or that is gone; oldest first. */
function findHighestEpisodes(
  before: Snapshot,
  after: Listing,
  changes: readonly Change[],
): [slug: string, episode: number][] {
  const listed = bySlug(after.ongoing);
  const highest = new Map(before.highestEpisodes);
  for (const { slug, episode } of before.ongoing) {
    const told = highest.get(slug) ?? episode;
    highest.delete(slug);
    highest.set(slug, told);
  }
  for (const change of changes) if ('episode' in change) highest.set(change.slug, change.episode);
  const hidden = [...highest].filter(([slug, episode]) => episode !== listed.get(slug)?.episode);
  return hidden.slice(-MAX_HIGHEST);
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

/** The anime that left in the last 90 days; those that came back, for a week after they had left. */
function listLeft(before: Snapshot, after: Listing, at: number): Record<string, LeftAnime> {
  const listed = new Set(after.ongoing.map(({ slug }) => slug));
  const gone = before.ongoing.filter(({ slug }) => !listed.has(slug));
  const all = {
    ...before.left,
    ...Object.fromEntries(gone.map((anime) => [anime.slug, { leftAt: at, anime }])),
  };
  return keepLatest(all, (slug, leftAt) => leftAt > at - (listed.has(slug) ? WEEK_MS : LEFT_KEPT_MS));
}

/** The anime that left the schedule in the last 90 days and are in neither listing. */
function listLeftSchedule(before: Snapshot, after: Listing, at: number): Record<string, LeftSlot> {
  const listed = listedSlugs(after);
  const gone = listEntries(before.schedule).map(
    ({ slug, ...slot }) => [slug, { leftAt: at, ...slot }] as const,
  );
  const all = { ...before.leftSchedule, ...Object.fromEntries(gone) };
  return keepLatest(all, (slug, leftAt) => !listed.has(slug) && leftAt > at - LEFT_KEPT_MS);
}

function keepLatest<Left extends { leftAt: number }>(
  all: Record<string, Left>,
  isKept: (slug: string, leftAt: number) => boolean,
): Record<string, Left> {
  const kept = Object.entries(all).filter(([slug, { leftAt }]) => isKept(slug, leftAt));
  return Object.fromEntries(kept.slice(-MAX_LEFT));
}
