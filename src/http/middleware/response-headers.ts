import type { Middleware } from 'koa';

export interface CorsOptions {
  methods: string[];
  /** Headers that a page of another origin may read. */
  expose: string[];
  /** Headers that a page of another origin may send; by default all but Authorization, which has to be named. */
  allowHeaders?: string;
}

/** The headers of every response of an origin that pages of all origins may use. */
export function corsHeaders({ expose }: CorsOptions): Record<string, string> {
  return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': expose.join(', ') };
}

/** Allows requests from all origins. `allowedMethods` answers OPTIONS. */
export function cors(options: CorsOptions): Middleware {
  const headers = corsHeaders(options);
  const preflight = {
    'Access-Control-Allow-Methods': options.methods.join(', '),
    'Access-Control-Allow-Headers': options.allowHeaders ?? '*',
    'Access-Control-Max-Age': '86400',
  };
  return async (ctx, next) => {
    ctx.set(headers);
    if (ctx.method === 'OPTIONS') ctx.set(preflight);
    return next();
  };
}

/** Makes responses uncacheable and keeps browsers from guessing their types, unless a route sets other headers. */
export const defaultHeaders: Middleware = (ctx, next) => {
  ctx.set({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });
  return next();
};
