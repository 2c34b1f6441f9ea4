import type { DocsSchema, DocsType } from '../../pages/docs.ts';

/** What of JSON Schema the named schemas use. */
interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  format?: string;
  items?: Schema;
  oneOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: readonly string[];
  description?: string;
}

type Translate = (text: string) => string;

/** A named schema as the page shows it: the properties of an object, or what else it can be. */
export function presentSchema(name: string, schema: Schema, translate: Translate): DocsSchema {
  const { properties, description } = schema;
  return {
    name,
    description: description && translate(description),
    types: properties ? [] : typesOf(schema),
    properties: Object.entries(properties ?? {}).map(([property, value]) => ({
      name: property,
      types: typesOf(value),
      description: value.description && translate(value.description),
    })),
  };
}

/** The types that a value may have, in the notation of TypeScript: `Event[]`, `string`, `null`. */
export function typesOf(schema: Schema): DocsType[] {
  const { $ref, oneOf, items, additionalProperties: others } = schema;
  if ($ref) return [named($ref)];
  if (oneOf) return oneOf.flatMap(typesOf);
  if (items) return typesOf(items).map((type) => ({ ...type, text: `${type.text}[]` }));
  if (typeof others === 'object')
    return typesOf(others).map((type) => ({ ...type, text: `{ [name]: ${type.text} }` }));
  if ('const' in schema) return [{ text: JSON.stringify(schema.const) }];
  if (schema.enum) return schema.enum.map((value) => ({ text: JSON.stringify(value) }));
  return [schema.type ?? 'any'].flat().map((type) => ({ text: formatted(type, schema.format) }));
}

function formatted(type: string, format: string | undefined): string {
  return format && type === 'string' ? `${type} (${format})` : type;
}

function named(ref: string): DocsType {
  const name = ref.split('/').at(-1) ?? '';
  return { text: name, schema: name };
}
