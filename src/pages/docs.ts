import {
  type ApiDescription,
  type ApiResponse,
  type Operation,
  type Parameter,
  resolve,
  type Schema,
} from './api-description.ts';
import { fill, type Html, html } from './html.ts';
import { type Language, TRANSLATIONS, type Translations } from './i18n/translations.ts';
import { renderLayout } from './layout.ts';

/** What the parts of the page are rendered from. */
interface Docs {
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

/** The API as people read it: tasks, then the reference, folded; a browser that is told to find a word unfolds it. */
export function renderDocsPage(api: ApiDescription, language: Language): string {
  const texts = TRANSLATIONS[language].docs;
  const docs = { api, texts };
  const { schemas, headers } = api.components;
  const program = html`<a href="/openapi.json">OpenAPI 3.1</a>`;
  const described = Object.entries(headers).map(([name, { description }]) =>
    renderTerm(html`<code>${name}</code>`, description, html` id="header-${name}"`),
  );
  const names = joinHeaders(COMMON_HEADERS);
  return renderLayout({
    title: texts.title,
    language,
    styles: ['docs.css'],
    modules: ['share.js'],
    isListed: true,
    body: html`<h1>${texts.title}</h1>
<p class="lead">${api.info.description} ${fill(texts.programs, { program })}</p>
<h2>${texts.tasks}</h2>
${Object.entries(api['x-tasks']).map((task) => renderTask(docs, task))}
<h2 id="reference">${texts.reference}</h2>
${renderFacts(docs)}
${api.tags.map((tag) => renderTag(docs, tag))}
${renderGroup('schemas', texts.schemas, texts.schemasLead, Object.entries(schemas).map(renderSchema))}
${renderGroup('headers', texts.headers, fill(texts.everyAnswer, { names }), [renderEntry('every-header', html`${texts.headers}`, renderTerms(described))])}`,
  });
}

function renderTask(docs: Docs, [id, task]: [string, ApiDescription['x-tasks'][string]]): Html {
  return html`<section class="card" aria-labelledby="task-${id}">
<h3 id="task-${id}">${task.title}</h3>
<p>${task.description}</p>
${renderSample(docs, task.source)}</section>
`;
}

const renderCode = (code: string) => html`<pre tabindex="0">${code}</pre>\n`;

/** Code to run, with a button that copies it. */
function renderSample({ texts }: Docs, source: string): Html {
  const code = source.trimEnd();
  return html`${renderCode(code)}<button class="plain" type="button" data-copy="${code}" data-done="${texts.copied}" hidden>${texts.copy}</button>
`;
}

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
  return html`<div${attributes}><dt>${term}</dt>${description ? html`\n<dd>${description}</dd>` : []}</div>\n`;
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
    html`<p>${description}</p>
${parameters.length > 0 ? renderParameters(docs, parameters) : []}<h4 class="quiet">${texts.request}</h4>
${samples.map(({ source }) => renderSample(docs, source))}<h4 class="quiet">${texts.response}</h4>
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
  const about = description ? html`<p>${description}</p>\n` : [];
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
