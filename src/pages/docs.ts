import { fill, type Html, html } from './html.ts';
import { DOCS_TRANSLATIONS, type DocsTranslations } from './i18n/docs.ts';
import type { Language } from './i18n/translations.ts';
import { renderLanguages, renderLayout } from './layout.ts';

/** The API as people read it; every text is in the language of the page. */
export interface DocsPage {
  language: Language;
  version: string;
  origins: { listing: string; uploads: string };
  groups: DocsGroup[];
  headers: { name: string; description: string }[];
  schemas: DocsSchema[];
}

export interface DocsGroup {
  name: string;
  description: string;
  operations: DocsOperation[];
}

export interface DocsOperation {
  id: string;
  /** `GET` */
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: DocsParameter[];
  curl: string;
  /** An example of a response; undefined for one that is not text. */
  example: string | undefined;
  responses: DocsResponse[];
}

export interface DocsParameter {
  name: string;
  location: 'query' | 'path' | 'header';
  types: DocsType[];
  isRequired: boolean;
  /** Undefined where there is none. */
  defaultValue: string | undefined;
  description: string;
}

export interface DocsResponse {
  status: string;
  /** `Not Found` */
  name: string;
  description: string;
  content: { mediaType: string; types: DocsType[] }[];
  headers: string[];
}

export interface DocsType {
  text: string;
  /** The named schema that it refers to. */
  schema?: string;
}

export interface DocsSchema {
  name: string;
  description: string | undefined;
  /** What it can be, where it is not an object with properties. */
  types: DocsType[];
  properties: { name: string; types: DocsType[]; description: string | undefined }[];
}

/** The documentation of the API: operations by group, then the schemas and headers that they refer to. */
export function renderDocsPage(page: DocsPage): string {
  const { language, version, origins, groups, headers, schemas } = page;
  const texts = DOCS_TRANSLATIONS[language];
  const program = html`<a href="/openapi.json">OpenAPI 3.1</a>`;
  return renderLayout({
    title: texts.title,
    language,
    style: 'docs.css',
    isListed: true,
    nav: renderLanguages(language),
    body: html`<h1>${texts.title}</h1>
<p class="lead">${fill(texts.lead, { program })}</p>
<dl class="facts-list">
<div><dt>${texts.version}</dt><dd>${version}</dd></div>
<div><dt>${texts.listing}</dt><dd><code>${origins.listing}</code></dd></div>
<div><dt>${texts.uploads}</dt><dd><code>${origins.uploads}</code></dd></div>
</dl>
<nav class="contents" aria-label="${texts.contents}">
${groups.map(renderContents)}</nav>
${groups.map((group, index) => renderGroup(group, index, texts))}
${renderSchemas(schemas, texts)}
${renderHeaders(headers, texts)}`,
  });
}

function renderContents({ name, operations }: DocsGroup, index: number): Html {
  const links = operations.map(
    ({ id, method, path, summary }) =>
      html`<li><a href="#${id}">${renderAddress(method, path)}<span class="summary">${summary}</span></a></li>\n`,
  );
  return html`<section class="card"><h2><a href="#group-${index + 1}">${name}</a></h2>\n<ul>\n${links}</ul></section>\n`;
}

function renderAddress(method: string, path: string): Html {
  return html`<span class="address"><b class="method ${method.toLowerCase()}">${method}</b> <code>${path}</code></span> `;
}

function renderGroup(
  { name, description, operations }: DocsGroup,
  index: number,
  texts: DocsTranslations,
): Html {
  const id = `group-${index + 1}`;
  return html`<section class="group" aria-labelledby="${id}">
<h2 id="${id}">${name}</h2>
<p class="quiet">${description}</p>
${operations.map((operation) => renderOperation(operation, texts))}</section>
`;
}

function renderOperation(operation: DocsOperation, texts: DocsTranslations): Html {
  const { id, method, path, summary, description, parameters, curl, example, responses } = operation;
  const succeeded = responses.filter(({ status }) => Number(status) < 400);
  const failed = responses.filter(({ status }) => Number(status) >= 400);
  return html`<section class="card operation" id="${id}" aria-labelledby="${id}-name">
<h3 id="${id}-name">${summary}</h3>
<p class="path">${renderAddress(method, path)}</p>
<p>${description}</p>
${parameters.length > 0 ? renderParameters(parameters, texts) : []}<h4>${texts.request}</h4>
<pre tabindex="0">${curl}</pre>
<h4>${texts.response}</h4>
${example === undefined ? [] : html`<pre tabindex="0">${example}</pre>\n`}<ul class="responses">
${succeeded.map((one) => renderResponse(one, texts))}</ul>
${failed.length > 0 ? renderFailures(failed, texts) : []}</section>
`;
}

function renderParameters(parameters: DocsParameter[], texts: DocsTranslations): Html {
  const items = parameters.map(({ name, location, types, isRequired, defaultValue, description }) => {
    const facts = [location, isRequired ? texts.required : texts.optional];
    if (defaultValue !== undefined) facts.push(fill(texts.defaultValue, { value: defaultValue }).text);
    return html`<div><dt><code>${name}</code> ${renderTypes(types)} <span class="quiet">${facts.join(', ')}</span></dt>
<dd>${description}</dd></div>
`;
  });
  return html`<h4>${texts.parameters}</h4>\n<dl class="properties">\n${items}</dl>\n`;
}

function renderFailures(responses: DocsResponse[], texts: DocsTranslations): Html {
  const statuses = responses.map(({ status }) => status).join(', ');
  return html`<details><summary>${fill(texts.failures, { statuses })}</summary>
<ul class="responses">
${responses.map((one) => renderResponse(one, texts))}</ul></details>
`;
}

function renderResponse(
  { status, name, description, content, headers }: DocsResponse,
  texts: DocsTranslations,
): Html {
  const types = content.map(
    ({ mediaType, types }) => html`<li><code>${mediaType}</code> ${renderTypes(types)}</li>`,
  );
  const links = headers.map((one) => html`<li><a href="#header-${one}"><code>${one}</code></a></li>`);
  return html`<li><p><b class="status s${status.charAt(0)}">${status}</b> <span class="quiet">${name}</span> ${description}</p>
${types.length > 0 ? html`<ul class="types">${types}</ul>\n` : []}${links.length > 0 ? html`<p class="quiet label">${texts.headers}</p>\n<ul class="chips">${links}</ul>` : []}</li>
`;
}

function renderTypes(types: DocsType[]): Html {
  const parts = types.map(({ text, schema }, index) => {
    const linked = schema ? html`<a href="#schema-${schema}">${text}</a>` : html`${text}`;
    return html`${index > 0 ? ' | ' : ''}${linked}`;
  });
  return html`<code class="type">${parts}</code>`;
}

function renderSchemas(schemas: DocsSchema[], texts: DocsTranslations): Html {
  return html`<section class="group" aria-labelledby="schemas">
<h2 id="schemas">${texts.schemas}</h2>
<p class="quiet">${texts.schemasLead}</p>
${schemas.map(renderSchema)}</section>`;
}

function renderSchema({ name, description, types, properties }: DocsSchema): Html {
  const items = properties.map(
    (property) => html`<div><dt><code>${property.name}</code> ${renderTypes(property.types)}</dt>
${property.description ? html`<dd>${property.description}</dd>` : []}</div>
`,
  );
  return html`<section class="card schema" id="schema-${name}" aria-labelledby="schema-${name}-name">
<h3 id="schema-${name}-name"><code>${name}</code></h3>
${description ? html`<p>${description}</p>\n` : []}${types.length > 0 ? html`<p>${renderTypes(types)}</p>\n` : []}${items.length > 0 ? html`<dl class="properties">\n${items}</dl>` : []}</section>
`;
}

function renderHeaders(headers: DocsPage['headers'], texts: DocsTranslations): Html {
  const items = headers.map(
    ({ name, description }) => html`<div id="header-${name}"><dt><code>${name}</code></dt>
<dd>${description}</dd></div>
`,
  );
  return html`<section class="group" aria-labelledby="headers">
<h2 id="headers">${texts.headers}</h2>
<dl class="properties card">
${items}</dl>
</section>`;
}
