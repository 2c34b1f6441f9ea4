import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApi } from '../../src/http/openapi/document.ts';

/** Returns a function that compiles a schema of the document with an independent validator, each schema once. */
export function openSchemas({ components }: OpenApi) {
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
