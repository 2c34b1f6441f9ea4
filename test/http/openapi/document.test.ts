import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { createOpenApi } from '../../../src/http/openapi/document.ts';
import { compileSchema } from '../../support/openapi.ts';

const openApi = createOpenApi(
  { listing: 'https://anime.example.org', uploads: 'https://files.example.net' },
  '1.2.3',
);
const operations = Object.entries(openApi.paths).flatMap(([path, { servers: _, ...methods }]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
);

describe('the OpenAPI document', () => {
  test('is one', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(openApi)));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test('names both origins', () => {
    expect(openApi.servers).toEqual([{ url: 'https://anime.example.org' }]);
    expect(openApi.paths['/upload']?.servers).toEqual([{ url: 'https://files.example.net' }]);
  });

  test('calls no two operations the same', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  const examples = operations.flatMap(({ name, operation }) =>
    Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ schema, example }) =>
        example === undefined ? [] : [{ name: `${name} ${status}`, schema, example }],
      ),
    ),
  );

  test.each(examples)('has an example for $name that its schema allows', ({ schema, example }) => {
    const validate = compileSchema(openApi, schema);
    validate(example);
    expect(validate.errors).toBeNull();
  });
});
