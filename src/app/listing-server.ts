import type { Report } from '../domain/operational-event.ts';
import { HOUR_MS } from '../domain/units.ts';
import type { ListingView } from '../http/health.ts';
import { createListingApp } from '../http/listing/app.ts';
import { createEventStream } from '../http/listing/event-stream.ts';
import type { PushRoutesOptions } from '../http/listing/push.ts';
import { type HttpServer, openServer } from '../http/server.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { GRACE_MS } from './grace.ts';
import type { ReceivedListing } from './received-listing.ts';

interface ListingServerOptions {
  config: Config;
  maxConnections: number;
  view: ListingView;
  received: ReceivedListing;
  /** Stores a change of a subscription to Web Push. Resolves with undefined when there is no answer. */
  changeSubscription: PushRoutesOptions['change'];
  report: Report;
  metrics: Metrics;
}

/**
 * Opens the server of the listing. It serves what the crawler has sent last; no request renders or reads anything, or waits
 * for it. A socket that was passed on is used only from `listen` on: until this process is ready, connections wait or go to others.
 */
export async function openListingServer(options: ListingServerOptions) {
  const { config, view, received, report, metrics } = options;
  const stream = createEventStream();
  received.onEdition((edition) => stream.publish(edition.events));
  metrics.measure('listing', view);
  metrics.measure('eventStream', stream);
  const countDocument = metrics.countDocuments('listing');
  const { timeZone } = config;
  const push =
    config.pushContact === null
      ? undefined
      : await openPushRoutes(config, { key: received.pushKey, change: options.changeSubscription });
  const app = createListingApp({ view, site: received, stream, push, timeZone, report, countDocument });
  const fd = config.sockets.listing;
  let server: HttpServer | undefined = fd === undefined ? await open() : undefined;

  async function open(): Promise<HttpServer> {
    const opened = await openServer(
      { ...config, fd },
      {
        max: options.maxConnections,
        onRefused: (count) => report({ type: 'connections-refused', origin: 'listing', count }),
      },
    );
    opened.serve(app);
    return opened;
  }

  return {
    port: server?.port ?? config.port,
    /** Listens, unless it does already, and returns its address. */
    async listen(): Promise<string> {
      server ??= await open();
      return server.address;
    },
    async stop(): Promise<void> {
      stream.close();
      await server?.close(GRACE_MS);
    },
  };
}

/**
 * The routes of Web Push, whose modules are loaded only where it is switched on. Each process limits the changes that it
 * takes.
 */
export async function openPushRoutes(
  { upload, webhooks }: Config,
  connections: Pick<PushRoutesOptions, 'key' | 'change'>,
) {
  const [{ pushRoutes }, { openMemoryWindow }, { createClientAddress }] = await Promise.all([
    import('../http/listing/push.ts'),
    import('../uploads/limiters/memory-window.ts'),
    import('../http/client-address.ts'),
  ]);
  return pushRoutes({
    ...connections,
    limiter: openMemoryWindow({ windowMs: HOUR_MS, elapsedMs: () => performance.now() }),
    addressOf: createClientAddress(upload.trustProxy),
    allowsPrivate: webhooks.allowsPrivate,
  });
}
