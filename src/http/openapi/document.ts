import { HEADERS, type Header } from './headers.ts';
import type { Paths } from './parts.ts';
import { LISTING_PATHS } from './paths/listing.ts';
import { NEWS_PATHS } from './paths/news.ts';
import { REPORT_PATHS } from './paths/reports.ts';
import { RESUMABLE_PATHS } from './paths/resumable.ts';
import { DESCRIPTION_PATHS, SERVICE_PATHS } from './paths/service.ts';
import { UPLOAD_PATHS } from './paths/uploads.ts';
import { nameSchemas } from './schemas.ts';
import { TAGS } from './tags.ts';

export interface OpenApi {
  openapi: string;
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    contact: { name: string; url: string };
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  /** No operation asks who it is. */
  security: [];
  tags: readonly { name: string; description: string }[];
  paths: Paths;
  components: { schemas: Record<string, object>; headers: Record<string, Header> };
}

/** Both origins in one document (OpenAPI 3.1): the listing's is the server, the uploads' that of its own paths. */
export function createOpenApi(origins: { listing: string; uploads: string }, version: string): OpenApi {
  const servers = [{ url: origins.uploads, description: 'The uploads' }];
  const uploadPaths = Object.entries({ ...UPLOAD_PATHS, ...RESUMABLE_PATHS, ...REPORT_PATHS });
  const uploads = uploadPaths.map(([path, item]) => [path, { servers, ...item }] as const);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tayang',
      version,
      summary: 'What anime airs this week in Indonesia, and a place to put a file for a day',
      description: 'No key and no account is needed, and pages of any origin may read the answers.',
      contact: { name: 'Tayang', url: `${origins.listing}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origins.listing, description: 'The listing' }],
    security: [],
    tags: TAGS,
    paths: {
      ...LISTING_PATHS,
      ...NEWS_PATHS,
      ...Object.fromEntries(uploads),
      ...SERVICE_PATHS,
      ...DESCRIPTION_PATHS,
    },
    components: { schemas: nameSchemas(), headers: HEADERS },
  };
}
