import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeIn } from '../../../src/http/openapi/describe-api.ts';
import type { ApiDescription, Operation, Schema } from '../../../src/pages/api-description.ts';
import { API_FACTS, operationsOf } from '../../support/openapi.ts';
import { temporaryFolder } from '../../support/service.ts';

const TSC = path.join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');

/**
 * The types that openapi-typescript generates, which needs another version of the compiler: an answer is what its
 * reference names, without a second reference, and its body is that of any of its media types.
 */
function typesOf({ components }: ApiDescription, { responses }: Operation): string {
  const bodyOf = (part: Operation['responses'][string]) => {
    const response = '$ref' in part ? components.responses[part.$ref.split('/').at(-1)!]! : part;
    const { content = {} } = '$ref' in response ? {} : response;
    return Object.values(content).map(({ schema }) => typeOf(schema));
  };
  const among = (isThis: (status: number) => boolean) => {
    const bodies = Object.entries(responses).flatMap(([status, one]) =>
      isThis(Number(status)) ? bodyOf(one) : [],
    );
    return [...new Set(bodies)].join(' | ') || 'never';
  };
  return `{ data?: ${among((status) => status < 300)}; error?: ${among((status) => status >= 400)} }`;
}

function typeOf({ $ref, type, const: value, properties, items }: Schema): string {
  if ($ref) return `Schemas['${$ref.split('/').at(-1)}']`;
  if (value !== undefined) return JSON.stringify(value);
  if (items) return `${typeOf(items)}[]`;
  if (properties)
    return `{ ${Object.entries(properties).map(([name, one]) => `${JSON.stringify(name)}: ${typeOf(one)}`)} }`;
  return type === 'string' ? 'string' : 'unknown';
}

test('a generated client reads the result and the message of each answer without asking what it is', async () => {
  const api = describeIn('en', API_FACTS);
  // The failures of a dialect have the form of another service, which may be text.
  const failing = operationsOf(api).filter(
    ({ name, operation }) =>
      !['get /healthz', 'get /readyz'].includes(name) && !operation.tags.includes('Dialects'),
  );
  const schemas = Object.entries(api.components.schemas);
  const source = `
type Schemas = { ${schemas.map(([name, schema]) => `${name}: ${typeOf(schema)}`).join('; ')} };
type Answers = { ${operationsOf(api)
    .map(({ name, operation }) => `'${name}': ${typesOf(api, operation)}`)
    .join('; ')} };
declare const answers: Answers;
export const messages: (string | undefined)[] = [
${failing.map(({ name }) => `answers['${name}'].error?.message`).join(',\n')}];
export const address: string | undefined = answers['post /upload'].data?.result.url;
export const same: string | undefined = answers['get /files/{secret}'].data?.result.url_file;
export const reported: string | undefined = answers['post /r/{id}'].data?.message;
export const title: string | undefined = answers['get /api/anime/{slug}'].data?.data.title;
`;
  const file = path.join(await temporaryFolder(onTestFinished), 'client.ts');
  await writeFile(file, source);
  const output = await new Promise((resolve) => {
    execFile(process.execPath, [TSC, '--noEmit', '--strict', '--ignoreConfig', file], (_, stdout) =>
      resolve(stdout),
    );
  });
  expect(output).toBe('');
});
