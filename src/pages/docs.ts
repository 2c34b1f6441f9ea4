import type { ApiDescription } from './api-description.ts';
import { renderText } from './docs-code.ts';
import { renderReference } from './docs-reference.ts';
import { renderTask } from './docs-tasks.ts';
import { fill, type Html, html } from './html.ts';
import { type Language, TRANSLATIONS, type Translations } from './i18n/translations.ts';
import { renderLayout } from './layout.ts';

/** The API as people read it: tasks, then the reference, then what has changed. */
export function renderDocsPage(api: ApiDescription, language: Language): string {
  const texts = TRANSLATIONS[language].docs;
  const program = html`<a href="/openapi.json">OpenAPI 3.1</a>`;
  return renderLayout({
    title: texts.title,
    language,
    styles: ['docs.css'],
    modules: ['share.js'],
    isListed: true,
    body: html`<h1>${texts.title}</h1>
<p class="lead">${api.info.description} ${fill(texts.programs, { program })}</p>
${renderContents(api, texts)}
<h2 id="tasks">${texts.tasks}</h2>
${Object.entries(api['x-tasks']).map(([id, task]) => renderTask(texts, id, task))}
<h2 id="reference">${texts.reference}</h2>
${renderReference({ api, texts })}
${renderChanges(api, texts)}`,
  });
}

function renderContents(api: ApiDescription, texts: Translations['docs']): Html {
  const tasks = Object.entries(api['x-tasks']).map(([id, { title }]) => renderLink(`task-${id}`, title));
  const parts = [
    ['reference', texts.reference],
    ['changes', texts.changes],
  ] as const;
  return html`<nav aria-label="${texts.contents}"><ul class="contents">
${tasks}${parts.map(([id, title]) => renderLink(id, title))}</ul></nav>`;
}

const renderLink = (id: string, title: string) => html`<li><a href="#${id}">${title}</a></li>\n`;

/** What has changed, the newest version first, and what is promised. */
function renderChanges(api: ApiDescription, texts: Translations['docs']): Html {
  const versions = Object.values(api['x-changes']).map(
    ({ title, changes }) => html`<h3>${title}</h3>
<ul class="lines">
${changes.map(({ description }) => html`<li>${renderText(description)}</li>\n`)}</ul>
`,
  );
  return html`<h2 id="changes">${texts.changes}</h2>
<p>${renderText(api['x-stability'].description)}</p>
${versions}`;
}
