import type { Document } from '../publishing/document.ts';
import { createPacker } from '../publishing/packed-documents.ts';
import { createSecurityFile, LISTING_ROBOTS, SECURITY_PATH } from '../publishing/site-files.ts';
import type { Config } from './config.ts';
import type { Origins } from './threads/messages.ts';
import type { ThreadContext } from './threads/run-thread.ts';

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
