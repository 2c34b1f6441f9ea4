import { animeLink } from '../domain/anime-record.ts';
import type { EpisodeHistory, EpisodeRelease } from '../domain/episode-history.ts';
import type { AnimeEvent, Change, EventDetails } from '../domain/event.ts';
import { changedAt, type Listing, type Snapshot } from '../domain/listing.ts';
import { DAY_MS } from '../domain/units.ts';
import { diffOngoing, nextSnapshot } from './next-snapshot.ts';
import type { StoredListing } from './stored-listing.ts';

interface NextOptions {
  /** ms since 1970 */
  now: number;
  /** The origin that served the listing. */
  mirror: string;
  /** The anime whose new episode is no event. */
  silent?: ReadonlySet<string> | undefined;
}

/**
 * What is stored next: what is known, followed by what is new since, with its events. The same object when nothing has
 * changed. The first listing has no events.
 */
export function nextListing(
  read: Listing,
  known: StoredListing | undefined,
  { now, mirror, silent = new Set() }: NextOptions,
): { listing: StoredListing; changes: Change[] } {
  const lastGood = known?.snapshot;
  const changes = diffOngoing(lastGood, read, { now, silent });
  const next = nextSnapshot(read, lastGood, now, changes);
  if (!known || !lastGood)
    return { listing: { snapshot: { ...next, episodeHistory: {} }, events: [] }, changes };
  if (next === lastGood) return { listing: known, changes: [] };
  const at = changedAt(next);
  const told = describeChanges(changes, lastGood, next, mirror);
  const last = lastGood.lastEvent;
  const events = told.length > 0 ? appendEvents(known.events, told, { last, at }) : known.events;
  const listed = new Set(lastGood.ongoing.map(({ slug }) => slug));
  // An anime that comes back had its episode before.
  const seen = changes.filter(({ slug }) => listed.has(slug) || !lastGood.left?.[slug]);
  const history = recordEpisodes(next.episodeHistory ?? {}, seen, at);
  const snapshot = { ...next, lastEvent: last + changes.length, episodeHistory: history };
  return { listing: { snapshot, events }, changes };
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
