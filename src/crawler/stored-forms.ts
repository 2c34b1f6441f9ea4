import type { EpisodeHistory } from '../domain/episode-history.ts';
import type { AnimeEvent } from '../domain/event.ts';
import { type Claim, type Ledger, sortClaims } from '../domain/ledger.ts';
import type { Snapshot } from '../domain/listing.ts';
import { sourceDate } from '../domain/source-date.ts';
import { recordCards } from './record-cards.ts';
import type { StoredListing } from './stored-listing.ts';

/** The version of the stored listing. A change of its form raises it, and adds to `FORMER` how the form before is read. */
export const VERSION = 2;

/** A store that a later version has written. What it means is not known here, so nothing of it may be changed. */
export class LaterStoreError extends Error {
  constructor(place: string, version: number) {
    super(
      `the store ${place} has version ${version}, and this Tayang knows versions up to ${VERSION}: start the later one again, or put back a backup of this one`,
    );
    this.name = 'LaterStoreError';
  }
}

/** The value `listing`: it says its own version, so that a version never belongs to another form. */
type VersionedListing = StoredListing & { version: typeof VERSION };

/**
 * The values of a listing. Version 0.1 takes a snapshot of another form for none: where it is started again, it begins anew,
 * and does not go on from the one that it wrote last.
 */
export function storedListing(listing: StoredListing): Record<string, unknown> {
  const versioned: VersionedListing = { version: VERSION, ...listing };
  return { listing: versioned, snapshot: { form: VERSION } };
}

/** Reads a listing of any version up to this one. Throws LaterStoreError, which names the store as `place`. */
export async function readStoredListing(
  read: (key: string) => Promise<unknown>,
  place: string,
): Promise<StoredListing | undefined> {
  const listing = (await read('listing')) as { version: number } | undefined;
  const { version } = listing ?? { version: 1 };
  if (version > VERSION) throw new LaterStoreError(place, version);
  const stored = listing ?? { snapshot: await read('snapshot'), events: await read('events') };
  // The last step makes it what this version stores.
  return FORMER.slice(version - 1).reduce<unknown>((form, toNext) => toNext(form as never), stored) as
    | StoredListing
    | undefined;
}

/** How each version is read as the next one, version 1 first. None changes what it is given. */
const FORMER: ((stored: never) => unknown)[] = [fromVersion1];

/** A snapshot of 0.1.0, which had a history of episodes in place of a ledger; the first had neither events nor an epoch. */
interface SnapshotOfVersion1 extends Omit<Snapshot, 'ledger' | 'epoch' | 'lastEvent'> {
  form: 1;
  epoch?: string;
  formerEpochs?: string[];
  lastEvent?: number;
  events?: readonly AnimeEvent[];
  episodeHistory?: EpisodeHistory;
  /** The highest episodes that events told, and the first name of that. */
  highestEpisodes?: unknown;
  toldEpisodes?: unknown;
}

/** It had two values, of which there may be none: events came to be in that of the snapshot. */
interface StoredInVersion1 {
  snapshot?: SnapshotOfVersion1;
  events?: readonly AnimeEvent[];
}

function fromVersion1({
  snapshot: stored,
  events: apart = [],
}: StoredInVersion1): VersionedListing | undefined {
  if (stored?.form !== 1) return undefined;
  const { form: _, epoch = '0', formerEpochs: __, lastEvent = 0, events, ...rest } = stored;
  const { highestEpisodes: ___, toldEpisodes: ____, episodeHistory = {}, ...snapshot } = rest;
  // Events in a value of their own were written before the snapshot that made them known.
  const log = events ?? apart.filter(({ number }) => number <= lastEvent);
  return { version: 2, snapshot: addLedger({ ...snapshot, epoch, lastEvent }, episodeHistory), events: log };
}

/** The snapshot with a ledger of what its history and its list say. */
function addLedger(snapshot: Omit<Snapshot, 'ledger'>, history: EpisodeHistory): Snapshot {
  const ledger: Ledger = Object.fromEntries(
    Object.entries(history).map(([slug, releases]) => [slug, sortClaims(releases.map(claimOf))]),
  );
  const lists = [
    ...Object.values(snapshot.left ?? {}).map(({ leftAt, anime }) => ({ at: leftAt, ongoing: [anime] })),
    { at: snapshot.ongoingChangedAt, ongoing: snapshot.ongoing },
  ];
  let upgraded: Snapshot = { ...snapshot, ledger };
  for (const { at, ongoing } of lists) {
    const cards = recordCards({ ...upgraded, ongoing: [] }, { ...upgraded, ongoing }, { at });
    upgraded = { ...upgraded, ledger: cards };
  }
  return upgraded;
}

/** How long before a sighting the last reading was, nobody noted; peeks came every few minutes. */
function claimOf({ episode, seenAt, releasedAt, date }: EpisodeHistory[string][number]): Claim {
  return {
    episode,
    ...(seenAt !== undefined && { card: { date: date ?? sourceDate(seenAt), at: seenAt, after: seenAt } }),
    ...(date !== undefined && { row: date }),
    ...(releasedAt !== undefined && { releasedAt }),
  };
}
