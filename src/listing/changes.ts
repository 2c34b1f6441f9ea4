import type { Change } from '../domain/event.ts';
import type { Listing, OngoingAnime } from '../domain/listing.ts';

export function diffOngoing(before: Listing | undefined, after: Listing): Change[] {
  const known = new Map(before?.ongoing.map((anime) => [anime.slug, anime]));
  const listed = new Set(after.ongoing.map((anime) => anime.slug));
  const changes = after.ongoing.flatMap((anime) => changesOf(known.get(anime.slug), anime));
  const left = (before?.ongoing ?? []).filter((anime) => !listed.has(anime.slug));
  return [...changes, ...left.map(({ slug, title }): Change => ({ type: 'left', slug, title }))];
}

function changesOf(before: OngoingAnime | undefined, { slug, title, episode, day }: OngoingAnime): Change[] {
  if (!before) return [{ type: 'added', slug, title, episode, day }];
  const changes: Change[] = [];
  if (episode > before.episode) changes.push({ type: 'new-episode', slug, title, episode, day });
  if (day !== before.day) changes.push({ type: 'moved', slug, title, from: before.day, to: day });
  return changes;
}
