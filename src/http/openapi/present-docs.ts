import type { DocsGroup, DocsOperation, DocsPage, DocsParameter, DocsResponse } from '../../pages/docs.ts';
import type { Language } from '../../pages/i18n/translations.ts';
import type { OpenApi } from './document.ts';
import { INDONESIAN } from './indonesian.ts';
import { nameOfStatus, type Operation, type Parameter, type ResponseObject } from './parts.ts';
import { presentSchema, typesOf } from './present-schema.ts';

type Translate = (text: string) => string;

/** Texts of the document, which are English, in that language. */
const TRANSLATE: Record<Language, Translate> = {
  en: (text) => text,
  id: (text) => INDONESIAN[text] ?? text,
};

/** The document as its page shows it. */
export function presentDocs(openApi: OpenApi, origins: DocsPage['origins'], language: Language): DocsPage {
  const translate = TRANSLATE[language];
  const { schemas, headers } = openApi.components;
  const operations = operationsOf(openApi, origins, translate);
  return {
    language,
    origins,
    version: openApi.info.version,
    groups: openApi.tags.map(
      ({ name, description }): DocsGroup => ({
        name: translate(name),
        description: translate(description),
        operations: operations.filter(({ tag }) => tag === name).map(({ operation }) => operation),
      }),
    ),
    headers: Object.entries(headers).map(([name, header]) => ({
      name,
      description: translate(header.description),
    })),
    schemas: Object.entries(schemas).map(([name, schema]) => presentSchema(name, schema, translate)),
  };
}

function operationsOf({ paths }: OpenApi, origins: DocsPage['origins'], translate: Translate) {
  return Object.entries(paths).flatMap(([path, { servers, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => {
      const origin = servers ? origins.uploads : origins.listing;
      const [tag] = operation.tags;
      return { tag, operation: presentOperation(method.toUpperCase(), origin, path, operation, translate) };
    }),
  );
}

function presentOperation(
  method: string,
  origin: string,
  path: string,
  operation: Operation,
  translate: Translate,
): DocsOperation {
  const { operationId: id, summary, description, parameters = [], responses } = operation;
  return {
    id,
    method,
    path,
    summary: translate(summary),
    description: translate(description),
    parameters: parameters.map((parameter) => presentParameter(parameter, translate)),
    curl: curlOf(method, `${origin}${path}`, operation),
    example: exampleOf(operation),
    responses: Object.entries(responses).map(([status, one]) => presentResponse(status, one, translate)),
  };
}

function presentParameter(parameter: Parameter, translate: Translate): DocsParameter {
  const { name, in: location, required = false, description } = parameter;
  const schema = parameter.schema as { default?: unknown };
  const defaultValue = schema.default === undefined ? undefined : String(schema.default);
  return {
    name,
    location,
    defaultValue,
    isRequired: required,
    types: typesOf(parameter.schema),
    description: translate(description),
  };
}

function presentResponse(
  status: string,
  { description, content = {}, headers = {} }: ResponseObject,
  translate: Translate,
): DocsResponse {
  return {
    status,
    name: nameOfStatus(status),
    description: translate(description),
    content: Object.entries(content).map(([mediaType, { schema }]) => ({
      mediaType,
      types: typesOf(schema),
    })),
    headers: Object.keys(headers),
  };
}

/** A line that can be pasted into a shell: names in the path and parameters have their examples. */
function curlOf(method: string, address: string, operation: Operation): string {
  const { parameters = [], requestBody, responses } = operation;
  const examples = parameters.filter(({ example }) => example !== undefined);
  const query = examples.filter((one) => one.in === 'query').map(pair);
  const sent = examples.filter((one) => one.in === 'header' && !NOT_SENT.includes(one.name));
  const filled = examples
    .filter((one) => one.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, String(example)), address);
  const options = [
    ...bodyOptions(method, requestBody),
    ...(responses[200]?.content?.['text/event-stream'] ? ['-N'] : []),
    ...sent.map(({ name, example }) => `-H '${name}: ${example}'`),
  ];
  const search = query.length > 0 ? `?${new URLSearchParams(query)}` : '';
  return ['curl', ...options, `'${filled}${search}'`].join(' ');
}

/** Headers whose value depends on what came before. */
const NOT_SENT = ['Last-Event-ID', 'Upload-Checksum'];

function bodyOptions(method: string, body: Operation['requestBody']): string[] {
  const [type = ''] = Object.keys(body?.content ?? {});
  if (method === 'HEAD') return ['-I'];
  if (type === 'multipart/form-data') return ['-F file=@photo.png'];
  if (body?.required) return [`-X ${method}`, '--data-binary @photo.png', `-H 'Content-Type: ${type}'`];
  return method === 'GET' ? [] : [`-X ${method}`];
}

const pair = ({ name, example }: Parameter): [string, string] => [name, String(example)];

function exampleOf({ responses }: Operation): string | undefined {
  const [content] = Object.values(responses[200]?.content ?? {});
  const example = content?.example;
  return typeof example === 'object' ? JSON.stringify(example, null, 2) : (example as string | undefined);
}
