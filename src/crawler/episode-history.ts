import { type EpisodeHistory, type EpisodeRelease, releaseTime } from '../domain/episode-history.ts';
import type { Change } from '../domain/event.ts';

const MAX_RELEASES = 13;
/** Anime whose last episode was seen longest ago are forgotten first. */
const MAX_ANIME = 1_000;

/** The history with the episodes that appear in these changes, seen at `seenAt` (ms since 1970). */
export function recordEpisodes(
  history: EpisodeHistory,
  changes: readonly Change[],
  seenAt: number,
): EpisodeHistory {
  const recorded: Record<string, readonly EpisodeRelease[]> = { ...history };
  for (const change of changes) {
    if (change.type !== 'added' && change.type !== 'new-episode') continue;
    const { slug, episode } = change;
    const known = recorded[slug] ?? [];
    if (known.some((one) => one.episode === episode)) continue;
    recorded[slug] = sortReleases([{ episode, seenAt }, ...known]);
  }
  return forgetOldest(recorded);
}

/** The newest releases, the highest episode first. */
export function sortReleases(releases: readonly EpisodeRelease[]): EpisodeRelease[] {
  return releases.toSorted((a, b) => b.episode - a.episode).slice(0, MAX_RELEASES);
}

function forgetOldest(history: EpisodeHistory): EpisodeHistory {
  const entries = Object.entries(history);
  if (entries.length <= MAX_ANIME) return history;
  const newestFirst = entries.toSorted(([, [a]], [, [b]]) => lastKnownAt(b) - lastKnownAt(a));
  return Object.fromEntries(newestFirst.slice(0, MAX_ANIME));
}

function lastKnownAt(release: EpisodeRelease | undefined): number {
  return (release && releaseTime(release)) ?? Date.parse(release?.date ?? '1970-01-01');
}
