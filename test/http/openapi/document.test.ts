import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { createOpenApi } from '../../../src/http/openapi/document.ts';
import { openSchemas } from '../../support/openapi.ts';

const openApi = createOpenApi(
  { listing: 'https://anime.example.org', uploads: 'https://files.example.net' },
  '1.2.3',
);
const operations = Object.entries(openApi.paths).flatMap(([path, { servers: _, ...methods }]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
);

describe('the OpenAPI document', () => {
  test('is valid', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(openApi)));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test('names both origins', () => {
    expect(openApi.servers).toMatchObject([{ url: 'https://anime.example.org' }]);
    expect(openApi.paths['/upload']?.servers).toMatchObject([{ url: 'https://files.example.net' }]);
  });

  test('has a distinct id for each operation', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  /** Rules of Spectral (spectral:oas) and Redocly (recommended) beside validity. */
  test.each(operations)(
    'gives $name a summary, a description, a declared tag and failures',
    ({ name, operation }) => {
      const { summary, description, tags, responses, parameters = [] } = operation;
      for (const text of [summary, description, ...parameters.map((one) => one.description)])
        expect(text).toMatch(/^[A-Z]/u);
      expect(summary).not.toMatch(/\.$/u);
      expect(openApi.tags.map((tag) => tag.name)).toEqual(expect.arrayContaining(tags));
      // A request for the state of the service cannot be wrong, so these two have no 4xx.
      const canFail = !['get /healthz', 'get /readyz'].includes(name);
      expect(Object.keys(responses).some((status) => status.startsWith('4'))).toBe(canFail);
    },
  );

  test('declares exactly the parameters of each path', () => {
    for (const { name, operation } of operations) {
      const inPath = [...name.matchAll(/\{(\w+)\}/gu)].map(([, parameter]) => parameter);
      const described = (operation.parameters ?? []).filter((one) => one.in === 'path');
      expect(described.map((one) => one.name)).toEqual(inPath);
    }
  });

  test('declares exactly the schemas and headers that it uses', () => {
    const text = JSON.stringify(openApi);
    const used = new Set([...text.matchAll(/"#\/components\/([\w/-]+)"/gu)].map(([, name]) => name));
    const named = Object.entries(openApi.components).flatMap(([kind, members]) =>
      Object.keys(members).map((name) => `${kind}/${name}`),
    );
    expect([...used].sort()).toEqual(named.sort());
  });

  test('has a named schema for every nested object', () => {
    for (const schema of Object.values(openApi.components.schemas)) {
      const { properties = {} } = schema as { properties?: Record<string, { properties?: object }> };
      expect(Object.values(properties).filter((property) => property.properties)).toEqual([]);
    }
  });

  const examples = operations.flatMap(({ name, operation }) =>
    Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ schema, example }) =>
        example === undefined ? [] : [{ name: `${name} ${status}`, schema, example }],
      ),
    ),
  );

  const compileSchema = openSchemas(openApi);

  test.each(examples)('has an example for $name that matches its schema', ({ schema, example }) => {
    const validate = compileSchema(schema);
    validate(example);
    expect(validate.errors).toBeNull();
  });
});
