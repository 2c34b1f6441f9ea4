import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';

const BEARER = 'Bearer realm="uploads"';
const BASIC = 'Basic realm="uploads", charset="UTF-8"';

/**
 * Lets only those upload who send one of the tokens, as `Authorization: Bearer TOKEN` or as the password of Basic; everybody
 * where there are none. Answers 401 before the body is read.
 */
export function requireToken(tokens: readonly string[]): Middleware {
  if (tokens.length === 0) return (_ctx, next) => next();
  const digests = tokens.map(digestOf);
  return (ctx, next) => {
    const sent = digestOf(parseAuthorization(ctx.get('Authorization')));
    // Every token is compared, so that the time tells nothing.
    const matches = digests.filter((digest) => timingSafeEqual(digest, sent));
    if (matches.length > 0) return next();
    ctx.set('WWW-Authenticate', challengeFor(ctx));
    const message = 'uploads need a token here; send it as Authorization: Bearer TOKEN';
    throw new AppError('unauthorized', message);
  };
}

/** A script asks for the token itself; with Basic among the challenges its browser would open a dialog in front of it. */
function challengeFor(ctx: Context): string {
  const isScript = ['cors', 'same-origin', 'no-cors'].includes(ctx.get('Sec-Fetch-Mode'));
  return isScript ? BEARER : `${BEARER}, ${BASIC}`;
}

function parseAuthorization(header: string): string {
  const [, scheme = '', credentials = ''] = /^(bearer|basic) +([!-~]+)$/iu.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') return credentials;
  const pair = Buffer.from(credentials, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}

/** Digests are of one length, as `timingSafeEqual` needs. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
