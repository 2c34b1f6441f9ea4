import type { CheckedDependencies, Dependencies, DependencyReasons } from '../domain/health.ts';
import type { Documents } from '../publishing/document.ts';
import { applyChanges } from '../publishing/document-changes.ts';
import type { Edition } from '../publishing/edition.ts';
import type { ListingState } from '../publishing/listing-state.ts';
import type { Config } from './config.ts';
import type { JobMessage } from './threads/messages.ts';

/** What the crawler and the uploads have sent last. It stays while their thread is restarted. */
export interface ReceivedListing {
  /** Undefined until there is a snapshot. */
  edition(): Edition | undefined;
  /** Undefined until the crawler has started. */
  state(): ListingState | undefined;
  /** The documents that do not depend on the listing, by path; empty until `siteReceived` resolves. */
  siteDocuments(): Documents;
  siteReceived: Promise<void>;
  /** The dependencies of this process. One that it cannot do without is down until its thread has reported. */
  dependencies(): Dependencies;
  /** Why the dependencies of the uploads do not work. */
  reasons(): DependencyReasons;
  /** Calls back with each new edition once it is served; at once with the current one, if there is one. */
  onEdition(listener: (edition: Edition) => void): void;
  receive(message: JobMessage): void;
}

export function createReceivedListing({ serves }: Pick<Config, 'serves'>): ReceivedListing {
  const { promise: siteReceived, resolve: resolveSite } = Promise.withResolvers<void>();
  let listener: (edition: Edition) => void = () => {};
  let edition: Edition | undefined;
  let state: ListingState | undefined;
  let siteDocuments: Documents = new Map();
  let uploadsDependencies: CheckedDependencies = {};
  let reasons: DependencyReasons = {};

  return {
    edition: () => edition,
    state: () => state,
    siteDocuments: () => siteDocuments,
    siteReceived,
    dependencies() {
      const { storage = 'down', limiter = 'absent', quota = 'absent', ...checked } = uploadsDependencies;
      const { state: storeState = 'down', writable = null } = state?.store ?? {};
      const store = writable === false ? 'down' : storeState;
      return {
        store: serves.listing || serves.refresh ? store : 'absent',
        storage: serves.uploads ? storage : 'absent',
        limiter,
        quota,
        scanner: checked.scanner ?? 'absent',
      };
    },
    reasons: () => reasons,
    onEdition(newListener) {
      listener = newListener;
      if (edition) listener(edition);
    },
    receive(message) {
      switch (message.type) {
        case 'site':
          siteDocuments = applyChanges(message.documents, siteDocuments);
          resolveSite();
          break;
        case 'state':
          state = message.state;
          break;
        case 'dependencies':
          uploadsDependencies = message.states;
          reasons = message.reasons;
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
