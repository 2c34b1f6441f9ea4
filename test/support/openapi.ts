import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { ApiDescription } from '../../src/pages/api-description.ts';

/** An installation for the API to be described of. */
export const API_FACTS = {
  version: '1.0.0',
  origins: { listing: 'https://anime.example.org', uploads: 'https://files.example.net' },
  timeZone: 'Asia/Jakarta',
  hasChannels: true,
  limits: {
    maxBytes: 100 * 1024 ** 2,
    ttlMs: 86_400_000,
    rateLimit: 40,
    rateWindowMs: 60_000,
    concurrency: 32,
  },
};

/** Every operation of the description, as `get /api/anime`. */
export function operationsOf({ paths }: ApiDescription) {
  return Object.entries(paths).flatMap(([path, { servers: _, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  );
}

/** Returns a function that compiles a schema of the document with an independent validator, each schema once. */
export function openSchemas({ components }: ApiDescription) {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  formats.default(ajv);
  const compiled = new Map<string, ValidateFunction>();
  return (schema: object): ValidateFunction => {
    const text = JSON.stringify(schema);
    const validate = compiled.get(text) ?? ajv.compile({ components, ...schema });
    compiled.set(text, validate);
    return validate;
  };
}
