import { type ApiOrigins, describeApi } from '../http/openapi/describe-api.ts';
import { openAssets } from '../publishing/assets.ts';
import type { Document } from '../publishing/document.ts';
import { createSecurityFile, SECURITY_PATH, siteFiles } from '../publishing/site-files.ts';

export interface SiteOptions {
  robots: string;
  origins: ApiOrigins;
  version: string;
  /** Who is to be told of a security problem; null where there is no such file. */
  contact: string | null;
  /** Ms since 1970. */
  now: number;
}

/** What an origin has whatever is listed or uploaded: assets, the description of the API, well-known files. */
export async function renderSite(options: SiteOptions): Promise<Map<string, Document>> {
  const { robots, origins, version, contact, now } = options;
  return new Map<string, Document>([
    ...(await openAssets()),
    ...siteFiles(robots, now),
    ...describeApi(origins, version, now),
    ...(contact ? [[SECURITY_PATH, createSecurityFile(contact, now)] as const] : []),
  ]);
}
