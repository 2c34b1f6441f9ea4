import { type Html, html } from './html.ts';
import { renderLayout } from './layout.ts';

/** What can be asked of the service, told to people. */
export interface DocsPage {
  version: string;
  operations: DocsOperation[];
}

export interface DocsOperation {
  id: string;
  /** `GET` */
  method: string;
  path: string;
  summary: string;
  description: string | undefined;
  parameters: { name: string; place: string; description: string }[];
  curl: string;
  /** A real answer; undefined where it is no text. */
  example: string | undefined;
  answers: { status: string; description: string }[];
}

export function renderDocsPage({ version, operations }: DocsPage): string {
  return renderLayout({
    title: 'API',
    style: 'docs.css',
    isListed: true,
    body: html`<h1>API</h1>
<p class="lead">Version ${version}. For programs, the same as <a href="/openapi.json">OpenAPI 3.1</a>. No key, no account; any page may read it.</p>
<nav aria-label="Operations"><ul class="operations">
${operations.map(({ id, method, path, summary }) => html`<li><a href="#${id}"><code>${method} ${path}</code></a> ${summary}</li>\n`)}</ul></nav>
${operations.map(renderOperation)}`,
  });
}

function renderOperation(operation: DocsOperation): Html {
  const { id, method, path, summary, description, parameters, curl, example, answers } = operation;
  return html`<section class="card operation" id="${id}" aria-labelledby="${id}-name">
<h2 id="${id}-name"><code>${method} ${path}</code></h2>
<p>${summary}.${description ? html` ${description}` : []}</p>
${parameters.length > 0 ? renderParameters(parameters) : []}<pre tabindex="0">${curl}</pre>
${example === undefined ? [] : html`<pre tabindex="0">${example}</pre>\n`}<dl>
${answers.map(({ status, description: meaning }) => html`<div><dt>${status}</dt><dd>${meaning}</dd></div>\n`)}</dl>
</section>
`;
}

function renderParameters(parameters: DocsOperation['parameters']): Html {
  return html`<dl>
${parameters.map(({ name, place, description }) => html`<div><dt><code>${name}</code></dt><dd>${description} <span class="quiet">(${place})</span></dd></div>\n`)}</dl>
`;
}
