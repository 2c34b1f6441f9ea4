import type { Documents } from '../publishing/document.ts';
import type { Edition } from '../publishing/edition.ts';
import type { ListingState } from '../publishing/listing-state.ts';
import { createUnpacker } from '../publishing/packed-documents.ts';
import type { CrawlerMessage } from './messages.ts';

/** What the crawler has sent last: it stands while that thread is away. */
export interface ReceivedListing {
  /** Undefined until there is a snapshot. */
  edition(): Edition | undefined;
  /** Undefined until the crawler has started. */
  state(): ListingState | undefined;
  /** What the origin has beside the listing, by path; empty until `siteReceived`. */
  site(): Documents;
  siteReceived: Promise<void>;
  receive(message: CrawlerMessage): void;
  /** Calls back with each edition once it is what readers get; at once with the one that there is. */
  onEdition(listener: (edition: Edition) => void): void;
}

export function createReceivedListing(): ReceivedListing {
  const unpackEdition = createUnpacker();
  const unpackSite = createUnpacker();
  let edition: Edition | undefined;
  let tell: (edition: Edition) => void = () => {};
  let state: ListingState | undefined;
  const { promise: siteReceived, resolve: noteSite } = Promise.withResolvers<void>();
  let site: Documents = new Map();

  return {
    edition: () => edition,
    state: () => state,
    site: () => site,
    siteReceived,
    onEdition(listener) {
      tell = listener;
      if (edition) listener(edition);
    },
    receive(message) {
      switch (message.type) {
        case 'site':
          site = unpackSite(message.documents);
          noteSite();
          break;
        case 'state':
          state = message.state;
          break;
        case 'edition':
          edition = { ...message.edition, documents: unpackEdition(message.documents) };
          tell(edition);
      }
    },
  };
}
