import type { Middleware } from 'koa';
import { FEED_PATHS } from '../../publishing/addresses.ts';
import { CACHE_CONTROL } from '../../publishing/document.ts';
import type { ListingView } from '../health.ts';
import type { DocumentSource } from '../send-document.ts';
import { normalizeSlug } from './require-edition.ts';

/** The page of an anime and its records in the API, up to the slug. */
const ANIME_ADDRESS = /^((?:\/api|\/otakudesu)?\/anime\/)([^/]+)$/u;

type Renamed = ReadonlyMap<string, string>;

/**
 * Redirects addresses with a former slug to the same addresses with the current one. The redirect is cached no longer than a
 * document, because another anime may get the former slug.
 */
export function redirectRenamed(view: ListingView, source: DocumentSource): Middleware {
  return (ctx, next) => {
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    const renamed = view.edition()?.renamed;
    const address = isRead && renamed && currentAddress(ctx.path, ctx.querystring, renamed);
    if (!address) return next();
    ctx.respond = false;
    ctx.res.writeHead(308, [
      'Location',
      address,
      'Cache-Control',
      CACHE_CONTROL,
      'X-Content-Type-Options',
      'nosniff',
      'Content-Length',
      '0',
      ...source.headers(ctx.path),
    ]);
    return ctx.res.end();
  };
}

/** The address with the current slugs; undefined if it has no former slug. */
function currentAddress(path: string, query: string, renamed: Renamed): string | undefined {
  const [, before, name] = ANIME_ADDRESS.exec(path) ?? [];
  const slug = name === undefined ? undefined : renamed.get(normalizeSlug(name));
  if (slug !== undefined) return `${before}${slug}${query && `?${query}`}`;
  const current = FEED_PATHS.includes(path) ? currentQuery(query, renamed) : query;
  return current === query ? undefined : `${path}?${current}`;
}

/** The query with the current slugs, and everything else as the client wrote it. */
function currentQuery(query: string, renamed: Renamed): string {
  const parts = query.split('&').map((part) => {
    const given = new URLSearchParams(part).get('slug');
    const slug = given === null ? undefined : renamed.get(normalizeSlug(given));
    return slug === undefined ? part : `slug=${slug}`;
  });
  return parts.join('&');
}
