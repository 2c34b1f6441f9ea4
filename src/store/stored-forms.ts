import { recordCards } from '../belief/record.ts';
import { releasesOf } from '../belief/releases.ts';
import type { EpisodeHistory } from '../domain/episode-history.ts';
import type { AnimeEvent } from '../domain/event.ts';
import type { CardReading, Evidence, Ledger, Row } from '../domain/ledger.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { sourceDate } from '../domain/source-date.ts';
import type { StoredListing } from './stored-listing.ts';

/** The version of the stored listing. A change of its form raises it, and adds how the form before is read. */
export const LISTING_VERSION = 3;

/** A later version wrote the store. This version does not understand it, so it must not change it. */
export class LaterStoreError extends Error {
  constructor(place: string, version: number) {
    super(
      `the store ${place} has version ${version}, and this Tayang knows versions up to ${LISTING_VERSION}: start the later one again, or put back a backup of this one`,
    );
    this.name = 'LaterStoreError';
  }
}

/** The value `listing`: it says its own version, so that a version never belongs to another form. */
type VersionedListing = StoredListing & { version: typeof LISTING_VERSION };

/**
 * The values of a listing. Version 0.1 ignores a snapshot of another form: started again, it begins anew, and does not
 * go on from its own last one.
 */
export function storedListing(listing: StoredListing): Record<string, unknown> {
  const versioned: VersionedListing = { version: LISTING_VERSION, ...listing };
  return { listing: versioned, snapshot: { form: LISTING_VERSION } };
}

/** Reads a listing of any version up to this one. Throws LaterStoreError, which names the store as `place`. */
export async function readStoredListing(
  read: (key: string) => Promise<unknown>,
  place: string,
): Promise<StoredListing | undefined> {
  const listing = (await read('listing')) as VersionedListing | ListingOfVersion2 | undefined;
  if (!listing) return fromVersion1((await read('snapshot')) as never, (await read('events')) as never);
  if (listing.version > LISTING_VERSION) throw new LaterStoreError(place, listing.version);
  return listing.version === 2 ? fromVersion2(listing) : listing;
}

/** A snapshot of 0.1.0, which had a history of episodes in place of a ledger; the first had neither events nor an epoch. */
interface SnapshotOfVersion1 extends Omit<Snapshot, 'ledger' | 'epoch' | 'lastEvent'> {
  form: 1;
  epoch?: string;
  formerEpochs?: string[];
  lastEvent?: number;
  events?: readonly AnimeEvent[];
  episodeHistory?: EpisodeHistory;
  /** The highest announced episodes, and the first name of that field. */
  highestEpisodes?: unknown;
  toldEpisodes?: unknown;
}

/** It had up to two values: later, the snapshot's value took in the events. */
function fromVersion1(
  stored: SnapshotOfVersion1 | undefined,
  apart: readonly AnimeEvent[] = [],
): StoredListing | undefined {
  if (stored?.form !== 1) return undefined;
  const { form: _, epoch = '0', formerEpochs: __, lastEvent = 0, events, ...rest } = stored;
  const { highestEpisodes: ___, toldEpisodes: ____, episodeHistory = {}, ...snapshot } = rest;
  // Events in a value of their own were written before their snapshot.
  const log = events ?? apart.filter(({ number }) => number <= lastEvent);
  return { snapshot: addLedger({ ...snapshot, epoch, lastEvent }, episodeHistory), events: log };
}

/** The snapshot with a ledger of what its history and its list say. */
function addLedger(snapshot: Omit<Snapshot, 'ledger'>, history: EpisodeHistory): Snapshot {
  const ledger: Ledger = Object.fromEntries(
    Object.entries(history).map(([slug, releases]) => [slug, evidenceOf(releases.map(claimOf))]),
  );
  const lists = [
    ...Object.values(snapshot.left ?? {}).map(({ leftAt, anime }) => ({ at: leftAt, ongoing: [anime] })),
    { at: snapshot.ongoingChangedAt, ongoing: snapshot.ongoing },
  ];
  const recorded = lists.reduce(
    (before, { at, ongoing }) => recordCards(before, { before: undefined, ongoing }, { at }),
    ledger,
  );
  return { ...snapshot, ledger: Object.fromEntries(Object.entries(recorded).map(beginWithKnown)) };
}

/** How long before a sighting the last reading was, nobody noted; peeks came every few minutes. */
function claimOf({ episode, seenAt, releasedAt, date }: EpisodeHistory[string][number]): ClaimOfVersion2 {
  return {
    episode,
    ...(seenAt !== undefined && { card: { date: date ?? sourceDate(seenAt), at: seenAt, after: seenAt } }),
    ...(date !== undefined && { row: date }),
    ...(releasedAt !== undefined && { releasedAt }),
  };
}

/** What version 2 stored of an episode: its card, and its row on the page of the anime. */
interface ClaimOfVersion2 {
  episode: number;
  card?: { date: string; at: number; after?: number; isLast?: true; isWithdrawn?: true };
  row?: string;
  releasedAt?: number;
  isLast?: true;
}

interface ListingOfVersion2 {
  version: 2;
  snapshot: Omit<Snapshot, 'ledger'> & { ledger: Record<string, ClaimOfVersion2[]> };
  events: readonly AnimeEvent[];
}

function fromVersion2({ snapshot, events }: ListingOfVersion2): StoredListing {
  const ledger = Object.entries(snapshot.ledger).map(([slug, claims]) => [slug, evidenceOf(claims)] as const);
  return { snapshot: { ...snapshot, ledger: Object.fromEntries(ledger.map(beginWithKnown)) }, events };
}

function evidenceOf(claims: readonly ClaimOfVersion2[]): Evidence {
  const cards = claims
    .flatMap(({ episode, card }): CardReading[] => {
      if (!card) return [];
      const { isWithdrawn: _, ...read } = card;
      return [{ episode, ...read }];
    })
    .sort((one, other) => one.at - other.at || one.episode! - other.episode!);
  const withdrawn = new Set(claims.flatMap(({ episode, card }) => (card?.isWithdrawn ? episode : [])));
  const rows = claims.flatMap(({ episode, row, releasedAt, isLast }): Row[] =>
    row === undefined
      ? []
      : [{ episode, date: row, ...(releasedAt !== undefined && { releasedAt }), ...(isLast && { isLast }) }],
  );
  return {
    cards: cards.filter(({ episode }) => !withdrawn.has(episode!)),
    ...(rows.length > 0 && { page: { at: 0, rows, specials: [] } }),
    told: cards.map(({ episode, date, at }) => ({ episode: episode!, date, at, event: 0 })),
  };
}

/** Everything from before the upgrade was announced, or never will be. */
function beginWithKnown([slug, evidence]: readonly [string, Evidence]): [string, Evidence] {
  const [newest] = releasesOf(evidence);
  const card = evidence.cards.at(-1);
  if (!newest || !card) return [slug, evidence];
  const { date, at } = card;
  return [slug, { ...evidence, start: { episode: newest.episode, date, at, isAdded: false } }];
}
