import { animeLink } from '../domain/anime-record.ts';
import type { AnimeEvent, Change, EventDetails } from '../domain/event.ts';
import { changedAt, type Listing, type Snapshot } from '../domain/listing.ts';
import { DAY_MS } from '../domain/units.ts';
import { withoutFuture } from './clock.ts';
import { diffOngoing, nextSnapshot } from './next-snapshot.ts';
import { recordCards } from './record-cards.ts';
import type { StoredListing } from './stored-listing.ts';

interface NextOptions {
  /** ms since 1970 */
  now: number;
  /** The origin that served the listing. */
  mirror: string;
  /** The anime whose new episode is no event. */
  silent?: ReadonlySet<string> | undefined;
  /** When a list was last read well, ms since 1970; null before that. */
  readAt?: number | null;
}

/**
 * What is stored next: what is known, followed by what is new since, with its events. The same object when nothing has
 * changed. The first listing has no events.
 */
export function nextListing(
  read: Listing,
  known: StoredListing | undefined,
  { now, mirror, silent = new Set(), readAt = null }: NextOptions,
): { listing: StoredListing; changes: Change[] } {
  const lastGood = known?.snapshot;
  const reading = { at: now, after: readAt ?? undefined, silent };
  const changes = diffOngoing(lastGood, read, reading);
  const next = nextSnapshot(read, lastGood, reading);
  if (!known || !lastGood) return { listing: { snapshot: next, events: [] }, changes };
  if (next === lastGood) return { listing: known, changes: [] };
  const at = changedAt(next);
  const told = describeChanges(changes, lastGood, next, mirror);
  const last = lastGood.lastEvent;
  const events = told.length > 0 ? appendEvents(known.events, told, { last, at }) : known.events;
  return { listing: { snapshot: { ...next, lastEvent: last + changes.length }, events }, changes };
}

/** The listing after a clock was ahead: what it dated is of `now`, and the years of the list are read again. */
export function correctTimes(listing: StoredListing, now: number): StoredListing {
  const snapshot = withoutFuture(listing.snapshot, now);
  const events = listing.events.map(({ at, ...event }) =>
    at > now ? { toldAt: at, ...event, at: now } : { ...event, at },
  );
  const reading = { at: now, after: undefined, silent: new Set<string>() };
  const ledger = recordCards(snapshot, snapshot, reading);
  return { snapshot: { ...snapshot, ledger, revision: (snapshot.revision ?? 0) + 1 }, events };
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

/** Appends the changes to the log after the event numbered `last`, and drops events that are too old. */
export function appendEvents(
  log: readonly AnimeEvent[],
  changes: readonly (Change & EventDetails)[],
  { last, at }: { last: number; at: number },
): AnimeEvent[] {
  // Counted to the last event: a client that is up to date names it, and a clock that is ahead for one crawl ends nothing.
  const now = Math.min(at, log.at(-1)?.at ?? at);
  const kept = log.filter((event) => event.at > now - KEPT_MS);
  const added = changes.map((change, index): AnimeEvent => ({ number: last + index + 1, at, ...change }));
  return [...kept, ...added].slice(-MAX_KEPT);
}
