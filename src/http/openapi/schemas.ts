import * as listing from '../../publishing/schemas/listing.ts';
import * as responses from '../../publishing/schemas/responses.ts';
import { ERROR, SLUG } from '../../publishing/schemas/schema.ts';

/** Every schema that has a name: what documents and pages refer to. */
const NAMED: Record<string, object> = { ...listing, ...responses, Error: ERROR, Slug: SLUG };

const NAMES = new Map(Object.entries(NAMED).map(([name, schema]) => [schema, name]));

/** The named schemas in alphabetical order; where one holds another, it refers to it by its name. */
export function nameSchemas(): Record<string, object> {
  const names = Object.keys(NAMED).toSorted();
  return Object.fromEntries(names.map((name) => [name, refer(NAMED[name]!)]));
}

function refer(schema: object): object {
  const text = JSON.stringify(schema, (key, value) => {
    // The key is empty for the schema itself.
    const name = key === '' ? undefined : NAMES.get(value);
    return name === undefined ? value : { $ref: `#/components/schemas/${name}` };
  });
  return JSON.parse(text);
}
