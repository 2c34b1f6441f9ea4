import type { JSONSchema } from 'json-schema-to-ts';

export type { FromSchema, JSONSchema } from 'json-schema-to-ts';

/*
 * The schemas of responses are here, beside the presenters, and not in http/openapi: a presenter returns the type of its
 * schema, and publishing may not import http. They are plain data, from which http/openapi makes the API's description.
 */

/** An object with exactly these properties. */
export function object<const Properties extends Record<string, JSONSchema>>(properties: Properties) {
  return {
    type: 'object',
    properties,
    // `Object.keys` has the type string[], although these are the keys of `properties`.
    required: Object.keys(properties) as (keyof Properties & string)[],
    additionalProperties: false,
  } as const;
}

export function array<const Items extends JSONSchema>(items: Items) {
  return { type: 'array', items } as const;
}

/** A successful response with data: every JSON response has a `status`. */
export function success<const Data extends JSONSchema>(data: Data) {
  return object({ status: { const: true }, data });
}

export const TEXT = { type: 'string' } as const;
export const COUNT = { type: 'integer', minimum: 0 } as const;
export const COUNT_OR_NULL = { type: ['integer', 'null'], minimum: 1 } as const;
export const FLAG = { type: 'boolean' } as const;
export const ADDRESS = { type: 'string', format: 'uri' } as const;
export const MOMENT = { type: 'string', format: 'date-time' } as const;
export const MOMENT_OR_NULL = { type: ['string', 'null'], format: 'date-time' } as const;
export const SLUG = {
  type: 'string',
  pattern: '^(?:[a-z0-9-]|%[0-9a-f]{2})+$',
  description: 'The same anime has the same slug everywhere.',
} as const;

/** Every JSON error. */
export const ERROR = object({ status: { const: false }, message: TEXT });
