import type { AnimeEvent } from '../domain/event.ts';
import type { Snapshot } from '../domain/listing.ts';
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
export type VersionedListing = StoredListing & { version: typeof VERSION };

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

/** The forms of 0.1.0: the first had no events, later ones had them in a value of their own, then in that of the snapshot. */
interface SnapshotOfVersion1 extends Omit<Snapshot, 'epoch' | 'lastEvent'> {
  form: 1;
  epoch?: string;
  formerEpochs?: string[];
  lastEvent?: number;
  /** The first name of `highestEpisodes`. */
  toldEpisodes?: Snapshot['highestEpisodes'];
  events?: readonly AnimeEvent[];
}

/** It had two values, of which there may be none. */
interface StoredInVersion1 {
  snapshot?: SnapshotOfVersion1;
  events?: readonly AnimeEvent[];
}

function fromVersion1({
  snapshot: stored,
  events: apart = [],
}: StoredInVersion1): VersionedListing | undefined {
  if (stored?.form !== 1) return undefined;
  const { form: _, epoch = '0', formerEpochs: __, lastEvent = 0, toldEpisodes, events, ...rest } = stored;
  const highest = toldEpisodes && { highestEpisodes: toldEpisodes };
  // Events in a value of their own were written before the snapshot that made them known.
  const log = events ?? apart.filter(({ number }) => number <= lastEvent);
  return { version: 2, snapshot: { ...highest, ...rest, epoch, lastEvent }, events: log };
}
