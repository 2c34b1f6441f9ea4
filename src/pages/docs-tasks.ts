import type { Code, Task, TaskVariant } from './api-description.ts';
import { renderSample } from './docs-code.ts';
import { fill, type Html, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';

type Texts = Translations['docs'];

/** A task that programs in several languages do, or one of them: what it is, then the code. */
export function renderTask(texts: Texts, id: string, task: Task): Html {
  const variants = Object.entries(task.variants ?? {});
  return html`<section class="card" aria-labelledby="task-${id}">
<h3 id="task-${id}">${task.title}</h3>
<p>${task.description}</p>
${task.source === undefined ? [] : renderSteps(texts, { ...task, source: task.source })}${variants.map(([name, variant], index) => renderVariant(texts, { id, name, isOpen: index === 0 }, variant))}</section>
`;
}

/** Variants of one task have one name, of which a browser opens one at a time. */
function renderVariant(
  texts: Texts,
  { id, name, isOpen }: { id: string; name: string; isOpen: boolean },
  variant: TaskVariant,
): Html {
  return html`<details class="fold" name="${id}"${isOpen ? html` open` : []}><summary>${variant.name}</summary>
<div id="task-${name}"><p>${variant.description}</p>
${renderSteps(texts, variant)}</div></details>
`;
}

/** The code, under the name of the file to save it in, and the lines that run it. */
function renderSteps(texts: Texts, { file, source, run }: Code): Html {
  const name = html`<code>${file ?? ''}</code>`;
  const save = file === undefined ? [] : html`<p class="quiet">${fill(texts.saveAs, { file: name })}</p>\n`;
  const start = run === undefined ? [] : html`<p class="quiet">${texts.run}</p>\n${renderSample(texts, run)}`;
  return html`${save}${renderSample(texts, source)}${start}`;
}
