import type { Document } from '../publishing/document.ts';
import { createSecurityFile, openAssets, SECURITY_PATH, siteFiles } from '../publishing/site-files.ts';

interface SiteDocumentsOptions {
  robots: string;
  /** The address for reports of security problems, in security.txt; null for none. */
  contact: string | null;
  /** Wall clock, ms since 1970. */
  now: number;
}

/** Renders the documents that every origin has: assets and well-known files. */
export async function renderSiteDocuments(options: SiteDocumentsOptions): Promise<Map<string, Document>> {
  const { robots, contact, now } = options;
  return new Map<string, Document>([
    ...(await openAssets()),
    ...siteFiles(robots, now),
    ...(contact ? [[SECURITY_PATH, createSecurityFile(contact, now)] as const] : []),
  ]);
}
