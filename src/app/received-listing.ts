import type { CheckedDependencies } from '../domain/health.ts';
import { applyChanges, type Documents } from '../publishing/document.ts';
import type { Edition } from '../publishing/edition.ts';
import type { ListingState } from '../publishing/listing-state.ts';
import type { JobMessage } from './threads/messages.ts';

/** What the crawler and the uploads have sent last. It stays while their thread is restarted. */
export type ReceivedListing = ReturnType<typeof createReceivedListing>;

export function createReceivedListing() {
  const { promise: siteReceived, resolve: resolveSite } = Promise.withResolvers<void>();
  let listener: (edition: Edition) => void = () => {};
  let edition: Edition | undefined;
  let state: ListingState | undefined;
  let siteDocuments: Documents = new Map();
  let dependencies: CheckedDependencies = {};
  let pushKey: string | undefined;

  return {
    /** Undefined until there is a snapshot. */
    edition: () => edition,
    /** Undefined until the crawler has started. */
    state: () => state,
    /** The documents that do not depend on the listing, by path; empty until `siteReceived` resolves. */
    siteDocuments: () => siteDocuments,
    siteReceived,
    /** The dependencies of the uploads; empty until they have been checked. */
    dependencies: () => dependencies,
    /** The public key for Web Push; undefined until it is known, and where Web Push is off. */
    pushKey: () => pushKey,
    /** Calls back with each new edition once it is served; at once with the current one, if there is one. */
    onEdition(newListener: (edition: Edition) => void): void {
      listener = newListener;
      if (edition) listener(edition);
    },
    receive(message: JobMessage): void {
      switch (message.type) {
        case 'site':
          siteDocuments = applyChanges(message.documents, siteDocuments);
          resolveSite();
          break;
        case 'state':
          state = message.state;
          break;
        case 'push-key':
          pushKey = message.key;
          break;
        case 'dependencies':
          dependencies = message.states;
          break;
        case 'edition':
          edition = {
            ...message.edition,
            documents: applyChanges(message.documents, edition?.documents ?? new Map()),
          };
          listener(edition);
      }
    },
  };
}
