import { createListingApp, type ListingAppOptions } from '../http/listing-app.ts';
import type { HttpServer } from '../http/server.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Serves the listing on a server that is bound already. */
export function serveListing(server: HttpServer, options: ListingAppOptions, metrics: Metrics): void {
  metrics.watchListing(options.view);
  metrics.watchStream(options.stream);
  const countDocument = metrics.countDocuments('listing');
  server.serve(createListingApp({ ...options, countDocument }));
}
