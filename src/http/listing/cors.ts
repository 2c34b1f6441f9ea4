import { type CorsOptions, corsHeaders } from '../middleware/response-headers.ts';

/** Pages of any origin may read the listing, and the headers that say how fresh it is and when to try again. */
export const LISTING_CORS: CorsOptions = {
  methods: ['GET', 'HEAD'],
  expose: ['ETag', 'Cache-Status', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
};

/** The same headers for answers sent without Koa: names and values in turn. */
export const LISTING_CORS_HEADERS: readonly string[] = Object.entries(corsHeaders(LISTING_CORS)).flat();
