import { animeLink } from '../domain/anime-record.ts';
import type { EpisodeHistory, EpisodeRelease } from '../domain/episode-history.ts';
import type { AnimeEvent, Change, EventDetails } from '../domain/event.ts';
import { changedAt, type Listing, type Snapshot } from '../domain/listing.ts';
import { DAY_MS } from '../domain/units.ts';
import { diffOngoing, nextSnapshot } from './next-snapshot.ts';
import type { SnapshotStore } from './snapshot-store.ts';

interface WriteOptions {
  store: SnapshotStore;
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** The origin that served the listing. */
  mirror: string;
  /** The anime whose new episode is no event. */
  silent?: ReadonlySet<string> | undefined;
}

/**
 * Writes what is new since the last good snapshot, with its events. Writes nothing when nothing has changed. The first
 * snapshot has no events.
 */
export async function writeListing(
  { store, now, mirror, silent = new Set() }: WriteOptions,
  listing: Listing,
  lastGood: Snapshot | undefined,
): Promise<{ snapshot: Snapshot; changes: Change[] }> {
  const changes = diffOngoing(lastGood, listing, { now: now(), silent });
  const next = nextSnapshot(listing, lastGood, now(), changes);
  if (!lastGood) {
    await store.writeSnapshot({ ...next, episodeHistory: {} }, []);
    return { snapshot: next, changes };
  }
  if (next === lastGood) return { snapshot: next, changes: [] };
  const { lastEvent: last } = lastGood;
  const [log, at] = [store.known().listing?.events ?? [], changedAt(next)];
  const told = describeChanges(changes, lastGood, next, mirror);
  const events = told.length > 0 ? appendEvents(log, told, { last, at }) : log;
  const listed = new Set(lastGood.ongoing.map(({ slug }) => slug));
  // An anime that comes back had its episode before.
  const seen = changes.filter(({ slug }) => listed.has(slug) || !lastGood.left?.[slug]);
  const history = recordEpisodes(next.episodeHistory ?? {}, seen, at);
  const snapshot = { ...next, lastEvent: last + changes.length, episodeHistory: history };
  await store.writeSnapshot(snapshot, events);
  return { snapshot, changes };
}

/** The cover of an anime that has left the list is the one that it had. */
function describeChanges(
  changes: readonly Change[],
  before: Snapshot,
  after: Snapshot,
  mirror: string,
): (Change & EventDetails)[] {
  const covers = new Map(
    [before, after].flatMap(({ ongoing }) => ongoing.map(({ slug, image }) => [slug, image])),
  );
  return changes.map((change) => {
    const { type, slug } = change;
    const image = covers.get(slug);
    const isReturn = type === 'added' && before.left?.[slug] !== undefined;
    return {
      ...change,
      ...(image && { image }),
      link: animeLink(mirror, slug),
      ...(isReturn && { isReturn }),
    };
  });
}

/** How long events are kept for clients that were away. */
const KEPT_MS = 30 * DAY_MS;
/** Bounds the log when the source keeps changing its whole list. */
const MAX_KEPT = 10_000;
/** How many episodes of an anime are remembered. */
const MAX_RELEASES = 13;

/** Appends the changes to the log after the event numbered `last`, and drops events that are too old. */
export function appendEvents(
  log: readonly AnimeEvent[],
  changes: readonly (Change & EventDetails)[],
  { last, at }: { last: number; at: number },
): AnimeEvent[] {
  const kept = log.filter((event) => event.at > at - KEPT_MS);
  const added = changes.map((change, index): AnimeEvent => ({ number: last + index + 1, at, ...change }));
  return [...kept, ...added].slice(-MAX_KEPT);
}

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
  return recorded;
}

/** The newest releases, the highest episode first. */
export function sortReleases(releases: readonly EpisodeRelease[]): EpisodeRelease[] {
  return releases.toSorted((a, b) => b.episode - a.episode).slice(0, MAX_RELEASES);
}
