import {
  type ApiDescription,
  type ApiResponse,
  type Operation,
  type Parameter,
  resolve,
  type Sample,
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

/** The API as people read it: examples by task, then the reference, folded, with a search where there is JavaScript. */
export function renderDocsPage(api: ApiDescription, language: Language): string {
  const texts = TRANSLATIONS[language].docs;
  const docs = { api, texts };
  const program = html`<a href="/openapi.json">OpenAPI 3.1</a>`;
  return renderLayout({
    title: texts.title,
    language,
    styles: ['docs.css'],
    modules: ['docs.js', 'share.js'],
    isListed: true,
    body: html`<h1>${texts.title}</h1>
<p class="lead">${api.info.description} ${fill(texts.programs, { program })}</p>
<h2>${texts.tasks}</h2>
${Object.entries(api['x-tasks']).map((task) => renderTask(docs, task))}
<h2 id="reference">${texts.reference}</h2>
${renderFacts(docs)}
<form id="search" role="search" hidden><label>${texts.search} <input type="search" autocomplete="off"></label>
<p class="quiet" role="status" data-text="${texts.found}"></p></form>
${api.tags.map((tag) => renderGroup(docs, tag))}
${renderSchemas(docs)}
${renderHeaders(docs)}`,
  });
}

function renderTask(
  docs: Docs,
  [id, { title, description, source }]: [string, ApiDescription['x-tasks'][string]],
): Html {
  return html`<section class="card" aria-labelledby="task-${id}">
<h3 id="task-${id}">${title}</h3>
<p>${description}</p>
${renderSample(docs, source)}</section>
`;
}

function renderCode(code: string): Html {
  return html`<pre tabindex="0">${code.trimEnd()}</pre>\n`;
}

/** Code to run, with a button that copies it. */
function renderSample({ texts }: Docs, source: string): Html {
  const code = source.trimEnd();
  return html`${renderCode(code)}<button class="plain" type="button" data-copy="${code}" data-done="${texts.copied}" hidden>${texts.copy}</button>
`;
}

function renderFacts({ api: { info, servers, paths }, texts }: Docs): Html {
  const uploads = paths['/upload']?.servers ?? [];
  return html`<dl class="facts-list cluster">
<div><dt>${texts.version}</dt><dd>${info.version}</dd></div>
<div><dt>${texts.listing}</dt><dd><code>${servers[0]?.url ?? ''}</code></dd></div>
<div><dt>${texts.uploads}</dt><dd><code>${uploads[0]?.url ?? ''}</code></dd></div>
</dl>`;
}

function renderGroup(docs: Docs, tag: ApiDescription['tags'][number]): Html {
  const { api } = docs;
  const operations = Object.entries(api.paths).flatMap(([path, { servers = api.servers, ...methods }]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag.name))
      .map(([method, operation]) => renderOperation(docs, { method, path, servers, operation })),
  );
  return html`<section class="group" aria-labelledby="group-${tag.name}">
<h3 id="group-${tag.name}">${tag['x-displayName']}</h3>
<p class="quiet">${tag.description}</p>
${tag['x-replacements'] ? renderReplacements(tag['x-replacements'], docs) : []}${operations}</section>
`;
}

function renderReplacements(replacements: Record<string, string>, { texts }: Docs): Html {
  const rows = Object.entries(replacements).map(
    ([from, to]) => html`<tr><td><code>${from}</code></td><td><code>${to}</code></td></tr>\n`,
  );
  return html`<table><thead><tr><th scope="col">${texts.insteadOf}</th><th scope="col">${texts.use}</th></tr></thead>
<tbody>
${rows}</tbody></table>
`;
}

interface Place {
  method: string;
  path: string;
  servers: ApiDescription['servers'];
  operation: Operation;
}

/** The id is on what is folded: a browser unfolds it for a link to it. */
function renderOperation(docs: Docs, { method, path, servers, operation }: Place): Html {
  const { api, texts } = docs;
  const { operationId, summary, description, parameters = [], responses } = operation;
  const samples = operation['x-codeSamples'] ?? [sampleOf(`${servers[0]?.url}${path}`)];
  const example = exampleOf(responses[200]);
  return html`<details><summary><span class="address"><b class="method ${method}">${method.toUpperCase()}</b> <code>${path}</code></span> <span class="quiet">${summary}</span></summary>
<div id="${operationId}"><p>${description}</p>
${renderParameters(docs, parameters)}<h4>${texts.request}</h4>
${samples.map(({ source }) => renderSample(docs, source))}<h4>${texts.response}</h4>
${example === undefined ? [] : renderCode(example)}<ul class="responses">
${Object.entries(responses).map(([status, one]) => renderResponse(status, resolve<ApiResponse>(api, one)))}</ul>
</div></details>
`;
}

/** The request of an address that needs nothing else. */
const sampleOf = (address: string): Sample => ({ lang: 'Shell', source: `curl '${address}'` });

function exampleOf(response: Operation['responses'][string] | undefined): string | undefined {
  const { content = {} } = (response ?? {}) as Partial<ApiResponse>;
  const example = Object.values(content)[0]?.example;
  return typeof example === 'object' ? JSON.stringify(example, null, 2) : (example as string | undefined);
}

function renderParameters({ api, texts }: Docs, parameters: NonNullable<Operation['parameters']>): Html | [] {
  if (parameters.length === 0) return [];
  const items = parameters.map((parameter) => {
    const { name, in: location, required, schema, description } = resolve<Parameter>(api, parameter);
    const facts = [location, required ? texts.required : texts.optional];
    if (schema.default !== undefined)
      facts.push(fill(texts.defaultValue, { value: String(schema.default) }).text);
    return html`<div><dt><code>${name}</code> ${renderType(schema)} <span class="quiet">${facts.join(', ')}</span></dt>
<dd>${description}</dd></div>
`;
  });
  return html`<h4>${texts.parameters}</h4>\n<dl class="properties">\n${items}</dl>\n`;
}

function renderResponse(status: string, { description, content = {}, headers = {} }: ApiResponse): Html {
  const types = Object.entries(content).map(
    ([mediaType, { schema }]) => html` <code>${mediaType}</code> ${renderType(schema)}`,
  );
  const names = Object.keys(headers).filter((name) => !COMMON_HEADERS.includes(name));
  const shown = Number(status) < 400 ? names : names.filter((name) => name !== 'X-Request-Id');
  return html`<li><b class="status s${status.charAt(0)}">${status}</b> ${description}${Number(status) < 400 ? types : []}
${shown.length > 0 ? html`<p class="quiet">${joinHeaders(shown)}</p>` : []}</li>
`;
}

function joinHeaders(names: readonly string[]): Html {
  return html`${names.map((name, index) => html`${index > 0 ? ', ' : ''}<a href="#header-${name}"><code>${name}</code></a>`)}`;
}

function renderSchemas({ api: { components }, texts }: Docs): Html {
  return html`<section class="group" aria-labelledby="schemas">
<h3 id="schemas">${texts.schemas}</h3>
<p class="quiet">${texts.schemasLead}</p>
${Object.entries(components.schemas).map(renderSchema)}</section>
`;
}

/** The properties of an object, or what else it can be. */
function renderSchema([name, { description, properties, ...schema }]: [string, Schema]): Html {
  const items = Object.entries(properties ?? {}).map(
    ([property, value]) => html`<div><dt><code>${property}</code> ${renderType(value)}</dt>
${value.description ? html`<dd>${value.description}</dd>` : []}</div>
`,
  );
  return html`<details><summary><code>${name}</code></summary>
<div id="schema-${name}">${description ? html`<p>${description}</p>\n` : []}${properties ? html`<dl class="properties">\n${items}</dl>` : html`<p>${renderType(schema)}</p>`}</div></details>
`;
}

function renderHeaders({ api: { components }, texts }: Docs): Html {
  const items = Object.entries(components.headers).map(
    ([name, { description }]) => html`<div id="header-${name}"><dt><code>${name}</code></dt>
<dd>${description}</dd></div>
`,
  );
  return html`<section class="group" aria-labelledby="headers">
<h3 id="headers">${texts.headers}</h3>
<p class="quiet">${fill(texts.everyAnswer, { names: joinHeaders(COMMON_HEADERS) })}</p>
<details><summary>${texts.headers}</summary>
<dl class="properties">
${items}</dl></details>
</section>`;
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
