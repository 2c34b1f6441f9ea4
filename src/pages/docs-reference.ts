import {
  type ApiDescription,
  type ApiResponse,
  type Operation,
  type Parameter,
  resolve,
  type Schema,
} from './api-description.ts';
import { renderCode, renderSample, renderText } from './docs-code.ts';
import { fill, type Html, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';

/** The reference: operations, schemas and headers, folded; a browser that is told to find a word unfolds it. */

/** What the parts of the page are rendered from. */
export interface Docs {
  api: ApiDescription;
  texts: Translations['docs'];
}

/** The headers that the page names once, because they say the same of every answer. */
const COMMON_HEADERS = [
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Cache-Control',
  'X-Content-Type-Options',
];

export function renderReference(docs: Docs): Html {
  const { api, texts } = docs;
  const { schemas, headers } = api.components;
  const described = Object.entries(headers).map(([name, { description }]) =>
    renderTerm(html`<code>${name}</code>`, description, html` id="header-${name}"`),
  );
  const entries = Object.entries(schemas).map(renderSchema);
  const allSchemas = html`<details class="fold"><summary>${fill(texts.showAll, { n: entries.length })}</summary>\n<div>${entries}</div></details>\n`;
  const everyAnswer = fill(texts.everyAnswer, { names: joinHeaders(COMMON_HEADERS) });
  const headerEntry = renderEntry('every-header', html`${texts.headers}`, renderTerms(described));
  return html`${renderFacts(docs)}
${api.tags.map((tag) => renderTag(docs, tag))}
${renderGroup('schemas', texts.schemas, texts.schemasLead, [allSchemas])}
${renderGroup('headers', texts.headers, everyAnswer, [headerEntry])}`;
}

/** The version, and the public addresses of both origins. */
function renderFacts({ api: { info, servers, paths }, texts }: Docs): Html {
  const uploads = paths['/upload']?.servers ?? [];
  return renderTerms([
    renderTerm(html`${texts.version}`, info.version),
    renderTerm(html`${texts.listing}`, html`<code>${servers[0]?.url ?? ''}</code>`),
    renderTerm(html`${texts.uploads}`, html`<code>${uploads[0]?.url ?? ''}</code>`),
  ]);
}

/** A part of the reference. */
function renderGroup(id: string, heading: string, lead: string | Html, content: readonly Html[]): Html {
  return html`<section class="group" aria-labelledby="${id}">
<h3 id="${id}">${heading}</h3>
<p class="quiet">${lead}</p>
${content}</section>
`;
}

/** The id is on what is folded: a browser unfolds it for a link to it. */
function renderEntry(id: string, summary: Html, content: Html): Html {
  return html`<details class="fold"><summary>${summary}</summary>
<div id="${id}">${content}</div></details>
`;
}

const renderTerms = (terms: readonly Html[]) => html`<dl class="properties lines">\n${terms}</dl>\n`;

function renderTerm(term: Html, description: Html | string | undefined, attributes: Html | [] = []): Html {
  return html`<div${attributes}><dt>${term}</dt>${description ? html`\n<dd>${typeof description === 'string' ? renderText(description) : description}</dd>` : []}</div>\n`;
}

function renderTag(docs: Docs, tag: ApiDescription['tags'][number]): Html {
  const { api, texts } = docs;
  const operations = Object.entries(api.paths).flatMap(([path, { servers = api.servers, ...methods }]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag.name))
      .map(([method, operation]) => renderOperation(docs, method, path, servers[0]?.url ?? '', operation)),
  );
  const replacements = Object.entries(tag['x-replacements'] ?? {}).map(([from, to]) =>
    renderTerm(html`<code>${from}</code>`, fill(texts.use, { address: html`<code>${to}</code>` })),
  );
  const content = replacements.length > 0 ? [renderTerms(replacements), ...operations] : operations;
  return renderGroup(`group-${tag.name}`, tag['x-displayName'], tag.description, content);
}

function renderOperation(
  docs: Docs,
  method: string,
  path: string,
  server: string,
  operation: Operation,
): Html {
  const { api, texts } = docs;
  const { operationId, summary, description, parameters = [], responses } = operation;
  // Without a sample, the address alone is a request that works.
  const samples = operation['x-codeSamples'] ?? [{ source: `curl '${server}${path}'` }];
  const example = exampleOf(responses[200]);
  return renderEntry(
    operationId,
    html`<b class="badge ${method}">${method.toUpperCase()}</b> <code>${path}</code> <span class="quiet">${summary}</span>`,
    html`<p>${renderText(description)}</p>
${parameters.length > 0 ? renderParameters(docs, parameters) : []}<h4 class="quiet">${texts.request}</h4>
${samples.map(({ source }) => renderSample(texts, source))}<h4 class="quiet">${texts.response}</h4>
${example === undefined ? [] : renderCode(example.trimEnd())}<ul class="lines">
${Object.entries(responses).map(([status, one]) => renderResponse(status, resolve<ApiResponse>(api, one)))}</ul>
`,
  );
}

function exampleOf(response: Operation['responses'][string] | undefined): string | undefined {
  const { content = {} } = (response ?? {}) as Partial<ApiResponse>;
  const example = Object.values(content)[0]?.example;
  return typeof example === 'object' ? JSON.stringify(example, null, 2) : (example as string | undefined);
}

function renderParameters({ api, texts }: Docs, parameters: NonNullable<Operation['parameters']>): Html {
  const terms = parameters.map((parameter) => {
    const { name, in: location, required, schema, description } = resolve<Parameter>(api, parameter);
    const { default: value } = schema;
    const initial = value === undefined ? [] : [fill(texts.defaultValue, { value: String(value) }).text];
    const facts = [location, required ? texts.required : texts.optional, ...initial].join(', ');
    const type = renderType(schema);
    return renderTerm(html`<code>${name}</code> ${type} <span class="quiet">${facts}</span>`, description);
  });
  return html`<h4 class="quiet">${texts.parameters}</h4>\n${renderTerms(terms)}`;
}

function renderResponse(status: string, { description, content = {}, headers = {} }: ApiResponse): Html {
  const isError = Number(status) >= 400;
  const types = Object.entries(content).map(
    ([mediaType, { schema }]) => html` <code>${mediaType}</code> ${renderType(schema)}`,
  );
  const known = isError ? [...COMMON_HEADERS, 'X-Request-Id'] : COMMON_HEADERS;
  const names = Object.keys(headers).filter((name) => !known.includes(name));
  return html`<li><b class="badge s${status.charAt(0)}">${status}</b> ${description}${isError ? [] : types}
${names.length > 0 ? html`<p class="quiet">${joinHeaders(names)}</p>` : []}</li>
`;
}

function joinHeaders(names: readonly string[]): Html {
  return html`${names.map((name, index) => html`${index > 0 ? ', ' : ''}<a href="#header-${name}"><code>${name}</code></a>`)}`;
}

/** The properties of an object, or what else it can be. */
function renderSchema([name, { description, properties, ...schema }]: [string, Schema]): Html {
  const terms = Object.entries(properties ?? {}).map(([property, value]) =>
    renderTerm(html`<code>${property}</code> ${renderType(value)}`, value.description),
  );
  const about = description ? html`<p>${renderText(description)}</p>\n` : [];
  const shape = properties ? renderTerms(terms) : html`<p>${renderType(schema)}</p>`;
  return renderEntry(`schema-${name}`, html`<code>${name}</code>`, html`${about}${shape}`);
}

/** A type in the notation of TypeScript, such as `Event[]` or `string | null`; the name of a schema leads to it. */
function renderType(schema: Schema): Html {
  return html`<code class="type">${typesOf(schema).map((type, index) => html`${index > 0 ? ' | ' : ''}${type}`)}</code>`;
}

function typesOf(schema: Schema): Html[] {
  const { $ref, oneOf, items, additionalProperties: others, type = 'any', format } = schema;
  if ($ref) {
    const name = $ref.split('/').at(-1) ?? '';
    return [html`<a href="#schema-${name}">${name}</a>`];
  }
  if (oneOf) return oneOf.flatMap(typesOf);
  if (items) return typesOf(items).map((one) => html`${one}[]`);
  if (typeof others === 'object') return typesOf(others).map((one) => html`{ [name]: ${one} }`);
  if ('const' in schema) return [html`${JSON.stringify(schema.const)}`];
  if (schema.enum) return schema.enum.map((value) => html`${JSON.stringify(value)}`);
  return [type].flat().map((one) => html`${format && one === 'string' ? `${one} (${format})` : one}`);
}
