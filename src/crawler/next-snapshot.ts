import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../domain/event.ts';
import { bySlug, changedAt, type Listing, type OngoingAnime, type Snapshot } from '../domain/listing.ts';
import { beginEpoch } from './stored-listing.ts';

/** How many anime that are off the list, or fell back, keep the number of their highest episode. */
const MAX_HIGHEST = 2_000;

/**
 * The snapshot that follows `lastGood`: the same object when nothing is different. HTTP dates have whole seconds, so two
 * changes are at least a second apart: otherwise a conditional request could miss the later one.
 */
export function nextSnapshot(listing: Listing, lastGood: Snapshot | undefined, now: number): Snapshot {
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
  return {
    ...listing,
    scheduleChangedAt: isSameSchedule ? lastGood.scheduleChangedAt : at,
    ongoingChangedAt: isSameOngoing ? lastGood.ongoingChangedAt : at,
    epoch: lastGood.epoch,
    ...(lastGood.formerEpochs && { formerEpochs: lastGood.formerEpochs }),
    lastEvent: lastGood.lastEvent,
    highestEpisodes: findHighestEpisodes(lastGood, listing),
  };
}

/** The changes that become events. After a fall back, an episode is new only above the highest that was ever listed. */
export function diffOngoing(before: Snapshot | undefined, after: Listing): Change[] {
  const known = bySlug(before?.ongoing ?? []);
  const highest = new Map(before?.highestEpisodes);
  const listed = new Set(after.ongoing.map((anime) => anime.slug));
  const changes = after.ongoing.flatMap((anime) =>
    changesOf(known.get(anime.slug), anime, highest.get(anime.slug) ?? 0),
  );
  const left = (before?.ongoing ?? []).filter((anime) => !listed.has(anime.slug));
  return [...changes, ...left.map(({ slug, title }): Change => ({ type: 'left', slug, title }))];
}

/** `highest`: the highest episode that was ever listed, where it is higher than that of `before`; else 0. */
function changesOf(
  before: OngoingAnime | undefined,
  { slug, title, episode, day }: OngoingAnime,
  highest: number,
): Change[] {
  if (!before) return [{ type: 'added', slug, title, episode, day }];
  const changes: Change[] = [];
  if (episode > Math.max(before.episode, highest))
    changes.push({ type: 'new-episode', slug, title, episode, day });
  if (day !== before.day) changes.push({ type: 'moved', slug, title, from: before.day, to: day });
  return changes;
}

/** The highest listed episode of each anime that has left the list or fallen back. The oldest are forgotten first. */
function findHighestEpisodes(before: Snapshot, after: Listing): [slug: string, episode: number][] {
  const listed = new Map(after.ongoing.map((anime) => [anime.slug, anime.episode]));
  const highest = new Map(before.highestEpisodes);
  for (const { slug, episode } of before.ongoing) {
    const known = highest.get(slug) ?? 0;
    highest.delete(slug);
    highest.set(slug, Math.max(episode, known));
  }
  const hidden = [...highest].filter(([slug, episode]) => episode > (listed.get(slug) ?? -1));
  return hidden.slice(-MAX_HIGHEST);
}
