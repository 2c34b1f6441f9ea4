import type { Listing, OngoingAnime } from '../domain/listing.ts';

/** What a refresh found to be different. A new cover or a corrected title is no news. */
export type Change =
  | { type: 'added'; slug: string; title: string; episode: number }
  | { type: 'new-episode'; slug: string; title: string; episode: number }
  | { type: 'moved'; slug: string; title: string; from: string; to: string }
  | { type: 'left'; slug: string; title: string };

export function diffOngoing(before: Listing | undefined, after: Listing): Change[] {
  const known = new Map(before?.ongoing.map((anime) => [anime.slug, anime]));
  const listed = new Set(after.ongoing.map((anime) => anime.slug));
  const changes = after.ongoing.flatMap((anime) => changesOf(known.get(anime.slug), anime));
  const left = (before?.ongoing ?? []).filter((anime) => !listed.has(anime.slug));
  return [...changes, ...left.map(({ slug, title }): Change => ({ type: 'left', slug, title }))];
}

function changesOf(before: OngoingAnime | undefined, { slug, title, episode, day }: OngoingAnime): Change[] {
  if (!before) return [{ type: 'added', slug, title, episode }];
  const changes: Change[] = [];
  if (episode > before.episode) changes.push({ type: 'new-episode', slug, title, episode });
  if (day !== before.day) changes.push({ type: 'moved', slug, title, from: before.day, to: day });
  return changes;
}
