import type { Change } from '../domain/event.ts';
import type { Listing, OngoingAnime, Snapshot } from '../domain/listing.ts';

/** How many anime that are off the list, or fell back, keep the number of their highest episode. */
const MAX_TOLD = 2_000;

export function diffOngoing(before: Snapshot | undefined, after: Listing): Change[] {
  const known = new Map(before?.ongoing.map((anime) => [anime.slug, anime]));
  const told = new Map(before?.toldEpisodes);
  const listed = new Set(after.ongoing.map((anime) => anime.slug));
  const changes = after.ongoing.flatMap((anime) =>
    changesOf(known.get(anime.slug), anime, told.get(anime.slug) ?? 0),
  );
  const left = (before?.ongoing ?? []).filter((anime) => !listed.has(anime.slug));
  return [...changes, ...left.map(({ slug, title }): Change => ({ type: 'left', slug, title }))];
}

/** `told`: the highest episode that was ever listed, where it is higher than the one before. */
function changesOf(
  before: OngoingAnime | undefined,
  { slug, title, episode, day }: OngoingAnime,
  told: number,
): Change[] {
  if (!before) return [{ type: 'added', slug, title, episode, day }];
  const changes: Change[] = [];
  if (episode > Math.max(before.episode, told))
    changes.push({ type: 'new-episode', slug, title, episode, day });
  if (day !== before.day) changes.push({ type: 'moved', slug, title, from: before.day, to: day });
  return changes;
}

/**
 * The highest episode that was ever listed of each anime whose entry no longer shows it: one that left the
 * list or fell back. The oldest are forgotten first.
 */
export function findToldEpisodes(before: Snapshot, after: Listing): [slug: string, episode: number][] {
  const listed = new Map(after.ongoing.map((anime) => [anime.slug, anime.episode]));
  const told = new Map(before.toldEpisodes);
  for (const { slug, episode } of before.ongoing) {
    const highest = Math.max(episode, told.get(slug) ?? 0);
    told.delete(slug);
    told.set(slug, highest);
  }
  const hidden = [...told].filter(([slug, episode]) => episode > (listed.get(slug) ?? -1));
  return hidden.slice(-MAX_TOLD);
}
