import { believedOngoing } from '../belief/believed-list.ts';
import type { Foreseen } from '../belief/expectations/foresee.ts';
import { type Lateness, listLateness } from '../domain/anime-record.ts';
import type { Covers } from '../domain/cover.ts';
import { renamedSlugs, type Snapshot } from '../domain/snapshot.ts';
import type { FlatStatus } from '../store/source-status.ts';
import type { StoredListing } from '../store/stored-listing.ts';
import {
  ANIME_PATH,
  animeAddress,
  HOME_PATH,
  RELEASES_PATH,
  SCHEDULE_PATH,
  UPCOMING_PATH,
} from './addresses.ts';
import { createAnimeRecords, findUpcoming } from './anime-records.ts';
import {
  countPages,
  presentAnime,
  presentAnimeDetail,
  presentHome,
  presentReleases,
  presentSchedule,
  presentUpcoming,
} from './api.ts';
import { COMPRESSED_LATER, type Content, type Documents, jsonContent, renderDocuments } from './document.ts';
import { eventsContent, type RenderedEvents, renderEvents } from './events.ts';
import { renderFeeds } from './feeds/feeds.ts';
import { type ListingParts, takeApart } from './listing-parts.ts';
import { createOwnCovers, type OwnCovers } from './own-covers.ts';
import { renderPages } from './pages.ts';
import { listReleases } from './releases.ts';
import { renderWajik } from './wajik.ts';

/**
 * Everything that is served from one snapshot. It is replaced as a whole, so all its documents are of the same snapshot. It
 * is plain data, because it is rendered in one thread and served in another.
 */
export interface Edition {
  documents: Documents;
  /** The number of pages of the ongoing list. */
  pageCount: number;
  events: RenderedEvents;
  /** What answers about chosen anime are put together from. */
  parts: ListingParts;
  /** The current slug of each renamed anime, by its former slugs. */
  renamed: ReadonlyMap<string, string>;
  /** When each cover came, by its name without an extension: a slug and a hash. Ms since 1970. */
  covers: ReadonlyMap<string, number>;
  /** How soon the releases of the last days were seen. */
  lateness: Lateness[];
}

/** What an edition shows: the last good listing and its events, and what follows from its ledger at this moment. */
export interface EditionContent extends StoredListing, Foreseen {
  /** The covers that are kept here; absent where none are to be. */
  covers?: Covers | undefined;
}

/** What an edition depends on beside the snapshot. It is rendered again when one of these changes. */
export interface EditionState {
  timeZone: string;
  /** Public origin. */
  url: string;
  status: Pick<FlatStatus, 'state' | 'since' | 'readAt' | 'refreshedAt'>;
  /** The origin of the source that served last. */
  sourceUrl: string;
  /** Whether Web Push is switched on. */
  hasPush?: boolean | undefined;
  /** Whether readers can add channels. */
  hasChannels?: boolean | undefined;
  /** Wall clock, ms since 1970. */
  now: number;
}

/** Renders a snapshot. A document with the same bytes as before is reused, with its compressed variants. */
export function renderEdition(stored: EditionContent, state: EditionState, before?: Edition): Edition {
  const { url, sourceUrl, timeZone, now } = state;
  const { events, calendar, covers: kept = {} } = stored;
  const renamed = renamedSlugs(stored.snapshot, now);
  const covers = createOwnCovers(kept, renamed, url);
  const ongoing = believedOngoing(stored.snapshot).map((anime) => {
    return { ...anime, image: covers.addressOf(anime.slug) ?? anime.image };
  });
  const snapshot = { ...stored.snapshot, ongoing };
  const content = { ...stored, snapshot };
  const records = createAnimeRecords(content, covers, sourceUrl, now);
  const releases = listReleases(records, timeZone, now);
  const rendered = renderEvents(events, snapshot, { url, calendar, covers });
  const listing = presentAnime(snapshot, calendar);
  const shownReleases = presentReleases(releases);
  const contents = [
    ...renderListing(snapshot, covers),
    jsonContent(ANIME_PATH, listing),
    // Most requests for events have no position. This answers them, compressed.
    eventsContent(rendered, { epoch: rendered.epoch, number: 0 }),
    // The next ones depend on the clock, too.
    jsonContent(UPCOMING_PATH, presentUpcoming(findUpcoming(records, now))),
    jsonContent(RELEASES_PATH, shownReleases),
    ...records.map((one) =>
      jsonContent(animeAddress(one.slug), presentAnimeDetail(one, url), COMPRESSED_LATER),
    ),
    ...renderPages({ ...state, snapshot, records, releases, renamed }),
    ...renderFeeds({ ...state, snapshot, events }, records),
    ...renderWajik(snapshot, records, sourceUrl),
  ];
  return {
    documents: renderDocuments(contents, now, before?.documents),
    pageCount: countPages(snapshot.ongoing),
    events: rendered,
    parts: takeApart(records, listing, shownReleases),
    renamed,
    covers: new Map(Object.entries(kept).map(([slug, { hash, keptAt }]) => [`${slug}-${hash}`, keptAt])),
    lateness: listLateness(records, now),
  };
}

/** The lists in the form of the source. */
function renderListing(snapshot: Snapshot, covers: OwnCovers): Content[] {
  const { scheduleChangedAt, ongoingChangedAt } = snapshot;
  const pages = Array.from({ length: countPages(snapshot.ongoing) }, (_, index) => index + 1);
  return [
    jsonContent(SCHEDULE_PATH, presentSchedule(snapshot), { changedAt: scheduleChangedAt }),
    ...pages.map((page) => {
      const home = presentHome(snapshot, page);
      const changedAt = Math.max(ongoingChangedAt, covers.changedAt(home.data.data));
      return jsonContent(`${HOME_PATH}?page=${page}`, home, { changedAt });
    }),
  ];
}
