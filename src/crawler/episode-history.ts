import type { EpisodeHistory, EpisodeSighting } from '../domain/episode-history.ts';
import type { AnimeEvent, Change } from '../domain/event.ts';

const MAX_SIGHTINGS = 13;
/** Anime whose last episode was seen longest ago are forgotten first. */
const MAX_ANIME = 1_000;

/** The history with the episodes that appear in these changes, seen at `seenAt` (ms since 1970). */
export function recordEpisodes(
  history: EpisodeHistory,
  changes: readonly Change[],
  seenAt: number,
): EpisodeHistory {
  const recorded: Record<string, readonly EpisodeSighting[]> = { ...history };
  for (const change of changes) {
    if (change.type !== 'added' && change.type !== 'new-episode') continue;
    const { slug, episode } = change;
    const known = recorded[slug] ?? [];
    if (known.some((one) => one.episode === episode)) continue;
    recorded[slug] = [{ episode, seenAt }, ...known].slice(0, MAX_SIGHTINGS);
  }
  return forgetOldest(recorded);
}

/** The history according to the events of the last 30 days, for a snapshot that was stored without a history. */
export function historyFromEvents(events: readonly AnimeEvent[]): EpisodeHistory {
  return events.reduce<EpisodeHistory>((history, event) => recordEpisodes(history, [event], event.at), {});
}

function forgetOldest(history: EpisodeHistory): EpisodeHistory {
  const entries = Object.entries(history);
  if (entries.length <= MAX_ANIME) return history;
  const newestFirst = entries.toSorted(([, [a]], [, [b]]) => (b?.seenAt ?? 0) - (a?.seenAt ?? 0));
  return Object.fromEntries(newestFirst.slice(0, MAX_ANIME));
}
