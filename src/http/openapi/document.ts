import { ERROR, HEALTH, READINESS, UPLOAD } from '../../publishing/schemas/answers.ts';
import { EVENT, EVENTS } from '../../publishing/schemas/events.ts';
import { ANIME, ANIME_DETAIL, HOME, SCHEDULE, UPCOMING } from '../../publishing/schemas/listing.ts';
import { SLUG } from '../../publishing/schemas/schema.ts';
import type { Paths } from './parts.ts';
import { LISTING_PATHS } from './paths/listing.ts';
import { NEWS_PATHS } from './paths/news.ts';
import { DESCRIPTION_PATHS, SERVICE_PATHS } from './paths/service.ts';
import { UPLOAD_PATHS } from './paths/uploads.ts';

export interface OpenApi {
  openapi: string;
  info: { title: string; version: string; summary: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  paths: Paths;
  components: { schemas: Record<string, object> };
}

/** Both origins in one document (OpenAPI 3.1): the listing's is the server, the uploads' that of its own paths. */
export function createOpenApi(origins: { listing: string; uploads: string }, version: string): OpenApi {
  const servers = [{ url: origins.uploads }];
  const uploads = Object.entries(UPLOAD_PATHS).map(([path, item]) => [path, { servers, ...item }] as const);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tayang',
      version,
      summary: 'What anime airs this week in Indonesia, and a place to put a file for a day',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origins.listing }],
    paths: {
      ...LISTING_PATHS,
      ...NEWS_PATHS,
      ...Object.fromEntries(uploads),
      ...SERVICE_PATHS,
      ...DESCRIPTION_PATHS,
    },
    components: { schemas: SCHEMAS },
  };
}

const SCHEMAS = {
  Schedule: SCHEDULE,
  Home: HOME,
  Listing: ANIME,
  Anime: ANIME_DETAIL,
  Upcoming: UPCOMING,
  Event: EVENT,
  Events: EVENTS,
  Slug: SLUG,
  Readiness: READINESS,
  Health: HEALTH,
  Upload: UPLOAD,
  Error: ERROR,
};
