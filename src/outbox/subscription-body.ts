import { hash } from 'node:crypto';
import { invalidRequest } from '../domain/errors.ts';
import { excerpt } from '../domain/text.ts';

/* What bodies that change subscriptions have in common. */

export const MAX_SLUGS = 200;
/** A refusal shows this much of a wrong slug. */
const MAX_SHOWN = 100;
const SLUG = /^(?:[a-z0-9-]|%[0-9a-f]{2}){1,200}$/u;

/** Parses the slugs of a subscription. Throws AppError `invalid-request`. */
export function parseSlugs(value: unknown): string[] {
  const isList = Array.isArray(value) && value.length <= MAX_SLUGS;
  if (!isList) throw invalidRequest(`slugs must be a list of ${MAX_SLUGS} anime at most`);
  const wrong = value.find((slug) => typeof slug !== 'string' || !SLUG.test(slug));
  if (wrong === undefined) return [...new Set<string>(value)];
  throw invalidRequest(
    `slugs must be slugs from the listing; ${excerpt(JSON.stringify(wrong), MAX_SHOWN)} is not one`,
  );
}

/** Parses a body that is to be an object of this shape. Throws AppError `invalid-request`. */
// biome-ignore lint/suspicious/noExplicitAny: JSON from outside, each part of which is checked
export function parseObject(body: string, shape: string): any {
  try {
    const value: unknown = JSON.parse(body);
    if (value instanceof Object && !Array.isArray(value)) return value;
  } catch {}
  throw invalidRequest(`send a JSON object: ${shape}`);
}

/** A digest of an address: all have the same length, and none reveals its address. */
export function rowKeyOf(address: string): string {
  return hash('sha256', address, 'hex').slice(0, 32);
}
