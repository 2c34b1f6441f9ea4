import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApi } from '../../src/http/openapi/document.ts';

/** Compiles a schema of the document with an independent validator. */
export function compileSchema({ components }: OpenApi, schema: object) {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  formats.default(ajv);
  return ajv.compile({ components, ...schema });
}
