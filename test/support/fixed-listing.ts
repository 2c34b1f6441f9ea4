import { readConfig } from '../../src/app/config.ts';
import { openChannelRoutes } from '../../src/app/listing-server.ts';
import { countDetails } from '../../src/domain/details.ts';
import { MINUTE_MS } from '../../src/domain/units.ts';
import { createListingApp } from '../../src/http/listing/app.ts';
import { createEventStream } from '../../src/http/listing/event-stream.ts';
import { describeApi } from '../../src/http/openapi/describe-api.ts';
import { createLingering } from '../../src/http/server/linger.ts';
import { openServer } from '../../src/http/server.ts';
import { type Edition, renderEdition } from '../../src/publishing/edition.ts';
import { type ListingState, summarizeSnapshot } from '../../src/publishing/listing-state.ts';
import { listingRobots, renderSiteDocuments } from '../../src/publishing/site-files.ts';
import { flattenStatus, initialStatus } from '../../src/store/source-status.ts';
import type { Defer } from './defer.ts';
import { keepDrawnCovers } from './drawn-covers.ts';
import { API_FACTS } from './openapi.ts';
import { contentIn, SHOWN_AT, type Situation, sourceIn } from './situations.ts';
import { openTestSource } from './source.ts';

const ORIGINS = { listing: 'https://tayang.example', uploads: 'https://unggah.example' };
const TIME_ZONE = 'Asia/Jakarta';

/** Opens a listing in a situation, at an origin of its own: what a browser keeps for one is not seen by another. */
export type OpenListing = (situation: Situation) => Promise<string>;

/** The listing's own server over editions that are rendered for one moment, so that its pages do not depend on the day. */
export async function prepareListings(defer: Defer): Promise<OpenListing> {
  const source = await openTestSource(defer);
  const siteDocuments = new Map([
    ...(await renderSiteDocuments({ robots: listingRobots(ORIGINS.listing), contact: null, now: SHOWN_AT })),
    ...describeApi({ ...API_FACTS, hasChannels: false, origins: ORIGINS }, SHOWN_AT),
  ]);
  const editions = new Map<Situation, Edition | undefined>();

  function editionIn(situation: Situation): Edition | undefined {
    if (!editions.has(situation)) editions.set(situation, render(situation, source.origin));
    return editions.get(situation);
  }

  return async (situation) => {
    const readStore = async () => true;
    const stream = createEventStream({ readStore });
    const state = stateIn(situation, source.origin);
    const edition = editionIn(situation);
    const content = contentIn(situation, source.origin);
    const readCover = content ? keepDrawnCovers(content.snapshot, SHOWN_AT).read : async () => null;
    const app = createListingApp({
      lingering: createLingering(),
      view: {
        edition: () => edition,
        state: () => state,
        threads: () => ({}),
        reasons: () => ({}),
        dependencies: () => ({
          store: 'ok',
          storage: 'absent',
          limiter: 'absent',
          quota: 'absent',
          scanner: 'absent',
        }),
        servesListing: true,
        isStopping: () => false,
        now: () => SHOWN_AT,
        siteDocuments: () => siteDocuments,
        siteReceived: Promise.resolve(),
      },
      stream,
      readCover,
      readStore,
      channels: await openChannelRoutes(readConfig({}, '0.0.0'), {
        change: async () => ({ type: 'done' }),
        titleOf: (slug) => content?.snapshot.ongoing.find((anime) => anime.slug === slug)?.title,
      }),
      timeZone: TIME_ZONE,
      report: () => {},
    });
    const server = await openServer({ host: '127.0.0.1', port: 0 }, app);
    defer(async () => {
      stream.close();
      await server.close();
    });
    return server.address;
  };
}

function render(situation: Situation, sourceUrl: string): Edition | undefined {
  const content = contentIn(situation, sourceUrl);
  const state = { timeZone: TIME_ZONE, url: ORIGINS.listing, status: sourceIn(situation), sourceUrl };
  const isNotifying = situation === 'notifying';
  const covers = content && keepDrawnCovers(content.snapshot, SHOWN_AT).covers;
  const options = { ...state, hasPush: isNotifying, hasChannels: isNotifying, now: SHOWN_AT };
  return content && renderEdition({ ...content, covers }, options);
}

function stateIn(situation: Situation, sourceUrl: string): ListingState | undefined {
  if (situation === 'waiting') return undefined;
  const content = contentIn(situation, sourceUrl);
  const snapshot = content ? summarizeSnapshot(content.snapshot) : null;
  if (snapshot && situation === 'outdated') snapshot.changedAt += MINUTE_MS;
  return {
    source: { ...flattenStatus(initialStatus(0)), ...sourceIn(situation) },
    dueAt: SHOWN_AT + 30 * MINUTE_MS,
    ongoingDueAt: SHOWN_AT + MINUTE_MS,
    nextAttempt: SHOWN_AT + MINUTE_MS,
    isRefreshing: false,
    store: { state: 'ok', since: SHOWN_AT, reason: null, writable: true, damagedAt: null },
    broadcasts: undefined,
    covers: null,
    pushKey: undefined,
    snapshot,
    details: content ? countDetails(content.snapshot, 0) : null,
    webhooks: [],
  };
}
