import { isDeepStrictEqual } from 'node:util';
import { believedOngoing } from '../belief/believed-list.ts';
import { addTold, type ListReading, recordCards } from '../belief/record.ts';
import { releasesOf, untoldReleases } from '../belief/releases.ts';
import type { Rename } from '../belief/renames.ts';
import { animeLink } from '../domain/anime-record.ts';
import { releaseDay } from '../domain/episode-history.ts';
import type { AnimeEvent, Change } from '../domain/event.ts';
import type { Ledger, Told } from '../domain/ledger.ts';
import { bySlug, type Listing, type OngoingAnime } from '../domain/listing.ts';
import { changedAt, type Snapshot } from '../domain/snapshot.ts';
import { sourceDate } from '../domain/source-date.ts';
import { DAY_MS, WEEK_MS } from '../domain/units.ts';
import type { StoredListing } from '../store/stored-listing.ts';
import { withoutFuture } from './clock.ts';
import { type PageReading, recordDetails } from './details/record-details.ts';
import { nextSnapshot } from './next-snapshot.ts';

/** How long events are kept for clients that were away. */
const EVENTS_KEPT_MS = 30 * DAY_MS;
/** Bounds the log when the source keeps changing its whole list. */
const MAX_EVENTS = 10_000;

/** What a reading shows, as far as it is believed. */
export interface ReadListing {
  /** Absent where nothing of the lists is to be changed. */
  listing?: Listing | undefined;
  reading: ListReading;
  /** The pages of single anime that were read with it. */
  pages?: readonly PageReading[];
  /** The anime whose slugs have been corrected; their records have the new slugs already. */
  renames?: readonly Rename[];
  /** The origin that served. */
  mirror: string;
}

/**
 * The next stored listing: the last one with the changes since, and their events. The same object if nothing changed.
 * The first listing has no events.
 */
export function nextListing(
  { listing, reading, pages = [], renames = [], mirror }: ReadListing,
  known: StoredListing | undefined,
): { stored: StoredListing | undefined; changes: Change[] } {
  const before = known?.snapshot;
  const listed = listing ? nextSnapshot(listing, before, reading) : before;
  if (!listed) return { stored: known, changes: [] };
  const read = pages.length > 0 ? recordDetails(listed, pages, reading.at) : listed;
  if (!before) return { stored: { snapshot: read, events: [] }, changes: [] };
  const changes = [...renames.map(renamedChange), ...listChanges(before, read, reading)];
  if (read === before && changes.length === 0) return { stored: known, changes: [] };
  const at = Math.max(changedAt(read), reading.at);
  const snapshot = {
    ...datedSnapshot(read, before, at),
    ledger: noteTold(read.ledger, changes, { at, lastEvent: before.lastEvent }),
    lastEvent: before.lastEvent + changes.length,
  };
  return { stored: { snapshot, events: appendEvents(known, changes, snapshot, at, mirror) }, changes };
}

/** The listing after a clock was ahead: its dates become `now`, and the years of the list are read again. */
export function correctTimes(listing: StoredListing, now: number): StoredListing {
  const snapshot = withoutFuture(listing.snapshot, now);
  const events = listing.events.map(({ at, ...event }) =>
    at > now ? { toldAt: at, ...event, at: now } : { ...event, at },
  );
  const { ongoing } = snapshot;
  const ledger = recordCards(snapshot.ledger, { before: ongoing, ongoing }, { at: now });
  return { snapshot: { ...snapshot, ledger, revision: (snapshot.revision ?? 0) + 1 }, events };
}

function renamedChange({ from, to, title }: Rename): Change {
  return { type: 'renamed', slug: to, title, from };
}

/** The list has changed where the page of an anime says another number, too. */
function datedSnapshot(snapshot: Snapshot, before: Snapshot, at: number): Snapshot {
  if (snapshot.ongoingChangedAt !== before.ongoingChangedAt) return snapshot;
  const isSame = isDeepStrictEqual(believedOngoing(snapshot), believedOngoing(before));
  return isSame ? snapshot : { ...snapshot, ongoingChangedAt: Math.max(at, changedAt(before) + 1_000) };
}

/** The ledger, with the episodes of these changes announced, each with the number of its event. */
function noteTold(
  ledger: Ledger,
  changes: readonly Change[],
  { at, lastEvent }: { at: number; lastEvent: number },
): Ledger {
  const next = { ...ledger };
  for (const [index, change] of changes.entries()) {
    const evidence = next[change.slug];
    if (change.type !== 'new-episode' || !evidence) continue;
    const { episode } = change;
    const release = releasesOf(evidence).find((one) => one.episode === episode);
    const date = release ? releaseDay(release) : sourceDate(at);
    const isSeen = release?.seenAt !== undefined;
    const told: Told = { episode, date, at, event: lastEvent + index + 1 };
    if (isSeen) told.isSeen = isSeen;
    next[change.slug] = { ...evidence, told: addTold(evidence.told, [told]) };
  }
  return next;
}

/** The log with these changes, without events that are too old. An anime that has left the list has the cover that it had. */
function appendEvents(
  { snapshot: before, events: log }: StoredListing,
  changes: readonly Change[],
  after: Snapshot,
  at: number,
  mirror: string,
): AnimeEvent[] {
  const shown = bySlug([...before.ongoing, ...after.ongoing]);
  const added = changes.map((change, index): AnimeEvent => {
    const image = shown.get(change.slug)?.image;
    const isAdded = change.type === 'added';
    const isReturn = isAdded && before.left?.[change.slug] !== undefined;
    const hasEpisodes =
      isAdded && changes.some(({ type, slug }) => type === 'new-episode' && slug === change.slug);
    return {
      number: before.lastEvent + index + 1,
      at,
      ...change,
      link: animeLink(mirror, change.slug),
      ...(image && { image }),
      ...(isReturn && { isReturn }),
      ...(hasEpisodes && { hasEpisodes }),
    };
  });
  // Counted to the last event: a client that is up to date names it, and a clock that is ahead for one crawl ends nothing.
  const now = Math.min(at, log.at(-1)?.at ?? at);
  return [...log.filter((event) => event.at > now - EVENTS_KEPT_MS), ...added].slice(-MAX_EVENTS);
}

/**
 * The changes that become events. An anime that comes back within a week was never away, and leaving again is no event
 * either. Episodes are announced from the ledger, whichever page showed them.
 */
function listChanges(before: Snapshot, after: Snapshot, { at }: ListReading): Change[] {
  const known = bySlug(before.ongoing);
  const recentlyLeft = (slug: string): OngoingAnime | undefined => {
    const left = before.left?.[slug];
    return left && left.leftAt > at - WEEK_MS ? left.anime : undefined;
  };
  const listed = bySlug(after.ongoing);
  const changes = believedOngoing(after).flatMap((anime): Change[] => {
    const { slug, title, episode, day } = anime;
    const last = known.get(slug) ?? recentlyLeft(slug);
    const evidence = after.ledger[slug];
    const releases = evidence ? untoldReleases(evidence) : [];
    return [
      ...(last ? [] : [{ type: 'added' as const, slug, title, episode, day }]),
      ...releases.map((one): Change => ({ type: 'new-episode', slug, title, episode: one.episode, day })),
      ...(last && last.day !== day ? [{ type: 'moved' as const, slug, title, from: last.day, to: day }] : []),
    ];
  });
  const left = [...known.values()].filter(({ slug }) => !listed.has(slug) && !recentlyLeft(slug));
  return [...changes, ...left.map(({ slug, title }): Change => ({ type: 'left', slug, title }))];
}
