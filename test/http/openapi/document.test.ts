import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { describeIn } from '../../../src/http/openapi/describe-api.ts';
import { type ApiResponse, type Parameter, resolve } from '../../../src/pages/api-description.ts';
import { API_FACTS, openSchemas, operationsOf } from '../../support/openapi.ts';

const api = describeIn('en', API_FACTS);
const operations = operationsOf(api).map(({ name, operation }) => {
  const { parameters = [], responses } = operation;
  const answers = Object.entries(responses).map(([status, one]) => ({
    status,
    ...resolve<ApiResponse>(api, one),
  }));
  return { name, operation, answers, parameters: parameters.map((one) => resolve<Parameter>(api, one)) };
});

describe('the OpenAPI document', () => {
  test.each(['en', 'id'] as const)('is valid (%s)', async (language) => {
    const { valid, errors } = await new Validator().validate({ ...describeIn(language, API_FACTS) });
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test('names both origins, and what is configured', () => {
    const { listing, uploads } = API_FACTS.origins;
    expect(api.servers).toEqual([{ url: listing }]);
    expect(api.paths['/upload']?.servers).toEqual([{ url: uploads }]);
    const { 413: tooLarge, 429: tooMany } = api.paths['/upload']!.post!.responses;
    expect(tooLarge?.description).toBe('The file is larger than 100 MB.');
    expect(tooMany?.description).toContain('more than 40 in 1 minute');
  });

  test('leaves nothing to fill in', () => {
    expect(JSON.stringify(api)).not.toMatch(/\{[\w.]*\.(?:sh|mjs|html)\}|x-headers|x-header-sets/u);
    const texts = JSON.stringify(api).replaceAll(/"\/[^"]*"/gu, '');
    const names = new Set([...texts.matchAll(/(?<!\$)\{([a-z]\w*)\}/gu)].map(([, name]) => name));
    expect([...names]).toEqual([]);
  });

  /** Rules of Spectral (spectral:oas) and Redocly (recommended) beside validity. */
  test.each(operations)(
    'gives $name a summary, a description, a declared tag and failures',
    ({ name, operation, parameters, answers }) => {
      const { summary, description, tags } = operation;
      for (const text of [summary, description, ...[...parameters, ...answers].map((one) => one.description)])
        expect(text).toMatch(/^[A-Z]/u);
      expect(summary).not.toMatch(/\.$/u);
      expect(api.tags.map((tag) => tag.name)).toEqual(expect.arrayContaining(tags));
      // A request for the state of the service cannot be wrong, so these two have no 4xx.
      const canFail = !['get /healthz', 'get /readyz'].includes(name);
      expect(answers.some(({ status }) => status.startsWith('4'))).toBe(canFail);
    },
  );

  /** A generated client gives an answer the types of all its media: with a page among them, `error?.message` is none. */
  test.each(operations)('gives each answer of $name one media type, and each failure JSON', (one) => {
    const { answers, operation } = one;
    // An upload whose answers are text has failures that are text.
    const isText =
      operation.tags.some((tag) => ['Dialects', 'Uploads'].includes(tag)) &&
      answers[0]?.content?.['text/plain'];
    const typeOfFailures = isText ? 'text/plain' : 'application/json';
    for (const { status, content } of answers) {
      expect([0, 1]).toContain(Object.keys(content ?? {}).length);
      if (Number(status) >= 400) expect(Object.keys(content ?? {})).toEqual([typeOfFailures]);
    }
  });

  /** Generators of clients follow a reference to a response, but not another one from there. */
  test('has no response that refers to another one', () => {
    expect(Object.values(api.components.responses).filter((one) => '$ref' in one)).toEqual([]);
  });

  test('declares exactly the parameters of each path', () => {
    for (const { name, parameters } of operations) {
      const inPath = [...name.matchAll(/\{(\w+)\}/gu)].map(([, parameter]) => parameter);
      const described = parameters.filter((one) => one.in === 'path');
      expect(described.map((one) => one.name)).toEqual(inPath);
    }
  });

  test('declares exactly the components that it uses', () => {
    const text = JSON.stringify(api);
    const used = new Set([...text.matchAll(/"#\/components\/([\w/-]+)"/gu)].map(([, name]) => name));
    // A scheme is named by its key alone.
    for (const { operation } of operations)
      for (const scheme of operation.security?.flatMap(Object.keys) ?? [])
        used.add(`securitySchemes/${scheme}`);
    const named = Object.entries(api.components).flatMap(([kind, members]) =>
      Object.keys(members).map((name) => `${kind}/${name}`),
    );
    expect([...used].sort()).toEqual(named.sort());
  });

  test('has a named schema for every nested object', () => {
    for (const { properties = {} } of Object.values(api.components.schemas))
      expect(Object.values(properties).filter((property) => property.properties)).toEqual([]);
  });

  const examples = operations.flatMap(({ name, answers }) =>
    answers.flatMap(({ status, content = {} }) =>
      Object.values(content).flatMap(({ schema, example }) =>
        example === undefined ? [] : [{ name: `${name} ${status}`, schema, example }],
      ),
    ),
  );

  const compileSchema = openSchemas(api);

  test.each(examples)('has an example for $name that matches its schema', ({ schema, example }) => {
    const validate = compileSchema(schema);
    validate(example);
    expect(validate.errors).toBeNull();
  });
});
