import type { JSONSchema } from 'json-schema-to-ts';

export type { FromSchema, JSONSchema } from 'json-schema-to-ts';

/*
 * The schemas of responses are here, beside the presenters, and not in http/openapi: a presenter returns the type of its
 * schema, and publishing may not import http. They are plain data, from which http/openapi makes the API's description.
 */

type Properties = Record<string, JSONSchema>;

/** An object with exactly these properties; it may lack the optional ones. */
export function object<
  const Required extends Properties,
  const Optional extends Properties = Record<never, JSONSchema>,
>(required: Required, optional?: Optional) {
  return {
    type: 'object',
    properties: { ...required, ...optional } as Required & Optional,
    // `Object.keys` has the type string[], although these are the keys of `required`.
    required: Object.keys(required) as (keyof Required & string)[],
    additionalProperties: false,
  } as const;
}

/** The required members of a schema, as a record has them: no other member of it becomes public. */
export function pick<Key extends string, Source extends Record<Key, unknown>>(
  schema: { required: readonly Key[] },
  source: Source,
): Pick<Source, Key> {
  // `Object.fromEntries` has no type for the keys.
  return Object.fromEntries(schema.required.map((key) => [key, source[key]])) as Pick<Source, Key>;
}

/** What the schema describes, or null. */
export function orNull<const Schema extends JSONSchema>(schema: Schema) {
  return { oneOf: [schema, { type: 'null' }] } as const;
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
export const TEXT_OR_NULL = { type: ['string', 'null'] } as const;
export const FLAG = { type: 'boolean' } as const;
export const ADDRESS = { type: 'string', format: 'uri' } as const;
export const ADDRESS_OR_NULL = { type: ['string', 'null'], format: 'uri' } as const;
export const MOMENT = { type: 'string', format: 'date-time' } as const;
export const MOMENT_OR_NULL = { type: ['string', 'null'], format: 'date-time' } as const;
export const SLUG = {
  type: 'string',
  pattern: '^(?:[a-z0-9-]|%[0-9a-f]{2})+$',
  description: 'The same anime has the same slug everywhere.',
} as const;

/** Every JSON error. */
export const ERROR = object({ status: { const: false }, message: TEXT });
