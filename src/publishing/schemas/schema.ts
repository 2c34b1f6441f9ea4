import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { toIso } from '../../domain/units.ts';

export type { FromSchema, JSONSchema };

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

/** What `present` takes for a schema: its moments are in ms since 1970. */
type RecordOf<Schema> = Schema extends { type: 'string'; format: 'date-time' }
  ? number
  : Schema extends { format: 'date-time' }
    ? number | null | undefined
    : Schema extends { oneOf: readonly [infer Choice, { type: 'null' }] }
      ? RecordOf<Choice> | null
      : Schema extends { items: infer Items }
        ? readonly RecordOf<Items>[]
        : Schema extends { properties: infer Members; required: readonly (infer Required)[] }
          ? { [Key in keyof Members as Key & Required]: RecordOf<Members[Key]> } & {
              [Key in keyof Members as Exclude<Key, Required>]?: RecordOf<Members[Key]> | undefined;
            }
          : JsonOf<Schema>;

type JsonOf<Schema> = Schema extends JSONSchema ? FromSchema<Schema> : never;

/** The JSON of a record: the members that its schema names and no others, with moments in ISO 8601. */
export function present<Schema>(schema: Schema, record: RecordOf<Schema>): JsonOf<Schema>;
// biome-ignore lint/suspicious/noExplicitAny: the types above check both, which have any depth
export function present(schema: any, value: any): any {
  if (value == null) return null;
  const { oneOf: [choice] = [], format, items, properties, required } = schema;
  if (choice?.properties) return present(choice, value);
  if (format === 'date-time') return toIso(value);
  if (items) return value.map((item: unknown) => present(items, item));
  if (!properties) return value;
  const keys = Object.keys(properties).filter((key) => required.includes(key) || value[key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, present(properties[key], value[key])]));
}

/** What the schema describes, or null. It is the first choice, which `present` takes. */
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
} as const;

/** Every JSON error. */
export const ERROR = object({ status: { const: false }, message: TEXT });
