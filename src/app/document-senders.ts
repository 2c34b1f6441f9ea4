import type { SnapshotUpdate } from '../crawler/snapshot-sync.ts';
import type { Status } from '../crawler/source-state.ts';
import { expectEpisodes } from '../crawler/timing/expected-times.ts';
import { nextUpcomingChange } from '../publishing/anime-records.ts';
import type { Document } from '../publishing/document.ts';
import type { Edition } from '../publishing/edition.ts';
import { createEditionPublisher, type EditionPublisherOptions } from '../publishing/edition-publisher.ts';
import { createPacker } from '../publishing/packed-documents.ts';
import { createSecurityFile, LISTING_ROBOTS, SECURITY_PATH } from '../publishing/site-files.ts';
import type { Config } from './config.ts';
import type { Origins } from './threads/messages.ts';
import type { ThreadContext } from './threads/run-thread.ts';

interface EditionSenderOptions extends Omit<EditionPublisherOptions, 'publish' | 'now'> {
  post: ThreadContext['post'];
}

/** Renders an edition whenever readers would see a difference, and sends it to the main thread. */
export function createEditionSender({ post, ...options }: EditionSenderOptions) {
  const pack = createPacker();
  const publishChange = createEditionPublisher({ ...options, publish: send, now: Date.now });
  let latest: SnapshotUpdate | undefined;
  let expectedChangeAt = Infinity;

  function send({ documents: all, ...edition }: Edition): void {
    const documents = pack(all);
    post({ type: 'edition', documents, edition }, [documents.bytes]);
  }

  return {
    renderSnapshot(update: SnapshotUpdate): void {
      publishChange(update);
      latest = update;
      expectedChangeAt = nextUpcomingChange(update.expected, Date.now());
    },
    renderStatus: (status: Status) => publishChange({ status }),
    renderDay: () => publishChange(),
    /** Renders what is expected after a time has passed. The source is not asked, and the events stay as they are. */
    renderExpected(): void {
      if (!latest) return;
      const expected = expectEpisodes(latest.snapshot, latest.history, Date.now());
      publishChange({ expected });
      expectedChangeAt = nextUpcomingChange(expected, Date.now());
    },
    /** When `renderExpected` is due, ms since 1970; Infinity for never. */
    expectedChangeAt: () => expectedChangeAt,
  };
}

interface SiteSenderOptions {
  config: Pick<Config, 'version' | 'contact' | 'timeZone' | 'upload'>;
  origins: Origins;
  post: ThreadContext['post'];
}

/** Renders the documents of the listing's origin that do not depend on the listing, and sends them to the main thread. */
export function createSiteSender({ config, origins, post }: SiteSenderOptions) {
  const { version, contact, timeZone, upload } = config;
  const pack = createPacker();
  let siteDocuments = new Map<string, Document>();

  function send(): void {
    const documents = pack(siteDocuments);
    post({ type: 'site', documents }, [documents.bytes]);
  }

  return {
    async render(): Promise<void> {
      const { renderSiteDocuments } = await import('./site-documents.ts');
      const api = { version, origins, timeZone, limits: upload };
      siteDocuments = await renderSiteDocuments({ robots: LISTING_ROBOTS, api, contact, now: Date.now() });
      send();
    },
    /** Renders security.txt again, because it expires. */
    renewSecurityFile(): void {
      if (!contact) return;
      siteDocuments.set(SECURITY_PATH, createSecurityFile(contact, Date.now()));
      send();
    },
  };
}
