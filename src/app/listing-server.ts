import type { Report } from '../domain/operational-event.ts';
import { HOUR_MS } from '../domain/units.ts';
import type { ListingView } from '../http/health.ts';
import { createListingApp } from '../http/listing/app.ts';
import type { ChannelRoutesOptions } from '../http/listing/channels.ts';
import type { ReadCover } from '../http/listing/covers.ts';
import { createEventStream } from '../http/listing/event-stream.ts';
import type { PushRoutesOptions } from '../http/listing/push.ts';
import { type ReadStore, shareReads } from '../http/listing/read-store.ts';
import { createLingering } from '../http/server/linger.ts';
import { reportConnections } from '../http/server/report-connections.ts';
import { type HttpServer, openServer, type Shutdown } from '../http/server.ts';
import { networksOf } from '../network/ip-address.ts';
import { animeAddress } from '../publishing/addresses.ts';
import type { Document } from '../publishing/document.ts';
import type { Anime } from '../publishing/schemas/listing.ts';
import type { FromSchema } from '../publishing/schemas/schema.ts';
import { listingGauges, streamGauges } from '../telemetry/metrics/gauges.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import type { ReceivedListing } from './received-listing.ts';

export interface ListingServerOptions {
  config: Config;
  maxConnections: number;
  view: ListingView & ReceivedListing;
  /** Stores a change of a subscription to Web Push. Resolves with undefined when there is no answer. */
  changeSubscription: PushRoutesOptions['change'];
  /** Begins or ends the announcements in a channel. Resolves with undefined when there is no answer. */
  changeChannel: ChannelRoutesOptions['change'];
  /** Reads the store. Resolves with whether `view` has all that the store had after the call; false without an answer. */
  readStore: ReadStore;
  /** Reads a file of a cover from the store. */
  readCover: ReadCover;
  report: Report;
  metrics: Metrics;
}

export interface ListingServer {
  port: number;
  /** Serves, and resolves with the address. */
  listen(): Promise<string>;
  stop(shutdown: Shutdown): Promise<void>;
}

/**
 * Opens the server of the listing. It serves the last documents from the crawler; no request renders anything. A cover
 * that was not sent before is read from the store. A request about an event or a cover that this process has not seen
 * yet waits for a reading of the store that all such requests share. The server accepts connections from `listen` on,
 * when its answers are true. Until then connections are refused, so that a proxy tries another process, or wait at a
 * socket that was passed on. Only port 0 is bound before, to pick a free port.
 */
export async function openListingServer(options: ListingServerOptions): Promise<ListingServer> {
  const { config, view, readCover, report, metrics } = options;
  const readStore = shareReads(options.readStore);
  const stream = createEventStream({ readStore });
  view.onEdition((edition) => stream.publish(edition.events));
  metrics.measure([...listingGauges(view), ...streamGauges(stream)]);
  const countDocument = metrics.countDocuments('listing');
  const { timeZone } = config;
  const push =
    config.pushContact === null
      ? undefined
      : await openPushRoutes(config, {
          key: () => view.state()?.pushKey,
          change: options.changeSubscription,
        });
  const lingering = createLingering();
  const channels =
    config.channels === 'off'
      ? undefined
      : await openChannelRoutes(config, {
          change: options.changeChannel,
          titleOf: (slug) => titleIn(view.edition()?.documents.get(animeAddress(slug))),
        });
  const app = createListingApp({
    view,
    stream,
    readStore,
    readCover,
    lingering,
    push,
    channels,
    timeZone,
    report,
    countDocument,
  });
  const fd = config.sockets.listing;
  let server = config.port === 0 && fd === undefined ? await open() : undefined;

  function open(): Promise<HttpServer> {
    const max = options.maxConnections;
    return openServer({ ...config, fd }, app, {
      max,
      networksOf,
      lingering,
      ...reportConnections('listing', report),
    });
  }

  return {
    port: server?.port ?? config.port,
    async listen() {
      server ??= await open();
      return server.address;
    },
    async stop(shutdown) {
      stream.close();
      await server?.close(shutdown);
    },
  };
}

/** The title in the document of an anime. */
function titleIn(document: Document | undefined): string | undefined {
  if (!document) return undefined;
  const answer: FromSchema<typeof Anime> = JSON.parse(Buffer.from(document.identity.bytes).toString());
  return answer.data.title;
}

/** The routes for channels, whose modules are loaded only where they are switched on. */
export async function openChannelRoutes(
  config: Config,
  connections: Pick<ChannelRoutesOptions, 'change' | 'titleOf'>,
) {
  const { channelRoutes } = await import('../http/listing/channels.ts');
  return channelRoutes({ ...connections, ...(await openAccess(config)) });
}

/** The routes of Web Push, whose modules are loaded only where it is switched on. */
export async function openPushRoutes(config: Config, connections: Pick<PushRoutesOptions, 'key' | 'change'>) {
  const { pushRoutes } = await import('../http/listing/push.ts');
  return pushRoutes({ ...connections, ...(await openAccess(config)) });
}

/** What limits the changes that readers make. Each process limits those that it takes. */
async function openAccess({ upload, webhooks }: Config) {
  const { openMemoryWindow } = await import('../network/memory-window.ts');
  const { createClientAddress } = await import('../http/client-address.ts');
  return {
    limiter: openMemoryWindow({ windowMs: HOUR_MS, elapsedMs: () => performance.now() }),
    addressOf: createClientAddress(upload.trustProxy),
    allowsPrivate: webhooks.allowsPrivate,
  };
}
