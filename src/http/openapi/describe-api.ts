import { type DocsOperation, renderDocsPage } from '../../pages/docs.ts';
import { PAGE_POLICY } from '../../pages/layout.ts';
import { createDocument, type Document } from '../../publishing/document.ts';
import { createOpenApi, type OpenApi } from './document.ts';
import type { Operation, Parameter } from './parts.ts';

export interface ApiOrigins {
  /** Public origins. */
  listing: string;
  uploads: string;
}

/** What both origins say of both, by path: for programs and for people. `now`: ms since 1970. */
export function describeApi(
  origins: ApiOrigins,
  version: string,
  now: number,
): [address: string, Document][] {
  const openApi = createOpenApi(origins, version);
  const page = renderDocsPage({ version, operations: operationsOf(openApi, origins) });
  const headers = ['Content-Security-Policy', PAGE_POLICY, 'Referrer-Policy', 'no-referrer'];
  return [
    [
      '/openapi.json',
      createDocument('application/json; charset=utf-8', JSON.stringify(openApi), now, { headers }),
    ],
    ['/docs', createDocument('text/html; charset=utf-8', page, now, { headers })],
  ];
}

function operationsOf({ paths }: OpenApi, origins: ApiOrigins): DocsOperation[] {
  return Object.entries(paths).flatMap(([path, { servers, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => {
      const origin = servers ? origins.uploads : origins.listing;
      return presentOperation(method.toUpperCase(), origin, path, operation);
    }),
  );
}

function presentOperation(method: string, origin: string, path: string, operation: Operation): DocsOperation {
  const { operationId, summary, description, parameters = [], responses } = operation;
  return {
    id: operationId,
    ...{ method, path, summary, description },
    parameters: parameters.map(({ name, in: place, description: meaning }) => ({
      ...{ name, place, description: meaning },
    })),
    curl: curlOf(method, origin, path, operation),
    example: exampleOf(operation),
    answers: Object.entries(responses).map(([status, answer]) => ({
      status,
      description: answer.description,
    })),
  };
}

function curlOf(method: string, origin: string, path: string, operation: Operation): string {
  const parameters = operation.parameters ?? [];
  const query = parameters.filter((one) => one.in === 'query' && one.example !== undefined);
  const address = `${origin}${path}${query.length > 0 ? `?${new URLSearchParams(query.map(pair))}` : ''}`;
  const how = [
    ...(operation.requestBody ? ['-F file=@photo.png'] : method === 'GET' ? [] : [`-X ${method}`]),
    ...(operation.responses[200]?.content?.['text/event-stream'] ? ['-N'] : []),
  ];
  return ['curl', ...how, `'${address}'`].join(' ');
}

const pair = ({ name, example }: Parameter): [string, string] => [name, String(example)];

function exampleOf({ responses }: Operation): string | undefined {
  const [content] = Object.values(responses[200]?.content ?? {});
  const example = content?.example;
  return typeof example === 'object' ? JSON.stringify(example, null, 2) : (example as string | undefined);
}
