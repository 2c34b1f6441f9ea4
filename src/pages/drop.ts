import { formatDuration } from './expiry.ts';
import { fill, type Html, html } from './html.ts';
import type { UploadTranslations } from './i18n/uploads.ts';
import { renderLanguages, renderLayout } from './layout.ts';

interface DropPage {
  uploadUrl: string;
  maxBytes: number;
  /** `100.00 MB` */
  maxSize: string;
  /** The lifetimes to choose from, shortest first; the last one is the default. */
  lifetimesMs: readonly number[];
  timeZone: string;
}

/** The front page of the uploads: a form that works by itself, and a drop zone where there is JavaScript. */
export function renderDropPage(page: DropPage, texts: UploadTranslations): string {
  const { uploadUrl, maxBytes, lifetimesMs, timeZone } = page;
  const max = page.maxSize.replace('.00 ', ' ');
  const longest = formatDuration(lifetimesMs.at(-1) ?? 0, texts.locale);
  return renderLayout({
    title: texts.title,
    language: texts.language,
    modules: ['language.js', 'drop.js'],
    nav: renderLanguages(texts.language),
    body: html`<h1>${texts.title}</h1>
<p class="lead">${fill(texts.lead, { longest })}</p>
<p id="notice" class="card" role="alert" hidden></p>
<form id="drop" class="card drop" method="post" action="/upload" enctype="multipart/form-data" data-max-bytes="${maxBytes}" data-max-size="${max}" data-time-zone="${timeZone}" data-texts="${JSON.stringify(texts.scripts)}">
${renderLifetimes(lifetimesMs, texts)}<label class="file">
<span>${fill(texts.choose, { max })}<span class="live-only">${texts.chooseLive}</span></span>
<span class="button live-only" aria-hidden="true">${texts.chooseButton}</span>
<input id="file" type="file" name="file" required>
</label>
<button formaction="/upload?lang=${texts.language}">${texts.upload}</button>
</form>
${renderProgress(texts)}
${renderDone(texts)}
${renderMine(texts)}
<h2>${texts.terminal}</h2>
<pre>curl -F file=@photo.jpg ${uploadUrl}/upload</pre>
<p class="quiet">${fill(texts.terminalHint, {
      option: html`<code>?expires=1h</code>`,
      header: html`<code>X-Delete-Url</code>`,
      configuration: html`<a href="/sharex.sxcu">${texts.configuration}</a>`,
    })}</p>
<p class="quiet"><a href="/docs?lang=${texts.language}">${texts.forDevelopers}</a></p>`,
  });
}

/** The field comes before the file, because the server needs its value first. Empty where there is no choice. */
function renderLifetimes(lifetimesMs: readonly number[], { keepFor, locale }: UploadTranslations): Html | [] {
  if (lifetimesMs.length < 2) return [];
  const options = lifetimesMs.map((lifetimeMs, index) => {
    const isLast = index === lifetimesMs.length - 1;
    return html`<option value="${lifetimeMs}ms"${isLast ? html` selected` : ''}>${formatDuration(lifetimeMs, locale)}</option>`;
  });
  return html`<label class="lifetime"><span>${keepFor}</span> <select id="lifetime" name="expires">${options}</select></label>\n`;
}

function renderProgress({ uploading, progress, cancel }: UploadTranslations): Html {
  return html`<section id="progress" class="card" hidden>
<h2 tabindex="-1">${fill(uploading, { name: NAME })}</h2>
<progress aria-label="${progress}"></progress>
<p id="upload-status" class="upload-status"><span></span><span></span></p>
<p class="actions">
<button id="pause" class="plain" type="button" hidden></button>
<button id="cancel" class="plain" type="button">${cancel}</button>
</p>
</section>`;
}

const NAME = html`<span class="name"></span>`;

function renderDone(texts: UploadTranslations): Html {
  return html`<section id="done" class="card" hidden>
<h2 tabindex="-1">${fill(texts.uploaded, { name: NAME })}</h2>
<dl class="addresses">
${renderAddress('page', texts)}
${renderAddress('direct', texts)}
${renderAddress('deletion', texts)}
<dt>${texts.expires}</dt><dd id="expires"></dd>
</dl>
<p class="actions">
<button id="another" type="button">${texts.another}</button>
<button id="delete" class="plain danger" type="button">${texts.deleteIt}</button>
</p>
</section>`;
}

/** An address with buttons that copy and share it. Without `address`, a script fills it in. */
export function renderAddress(
  id: 'page' | 'direct' | 'deletion',
  texts: UploadTranslations,
  address?: string,
): Html {
  const link = address ? html`<a id="${id}" href="${address}">${address}</a>` : html`<a id="${id}"></a>`;
  return html`<dt>${texts[id]}</dt>
<dd>${link}<span class="actions">${renderCopy(id, texts, id !== 'deletion')}</span></dd>`;
}

/** Buttons for the address of the link with that id; hidden until a script shows those that work. */
export function renderCopy(
  id: string,
  { copy, copied, share }: UploadTranslations,
  canShare: boolean,
  label = copy,
): Html {
  const sharing = canShare
    ? html`<button class="plain" type="button" data-share="${id}" aria-describedby="${id}" hidden>${share}</button>`
    : [];
  return html`<button class="plain" type="button" data-copy="${id}" data-done="${copied}" aria-describedby="${id}" hidden>${label}</button>${sharing}`;
}

/** What this browser has uploaded. The script fills the list from the storage of the browser. */
function renderMine({ mine, mineLead, deleteIt }: UploadTranslations): Html {
  return html`<section id="mine" aria-labelledby="mine-name" hidden>
<h2 id="mine-name">${mine}</h2>
<p class="quiet">${mineLead}</p>
<ul class="card"></ul>
<template><li><a></a> <span class="quiet"></span> <button class="plain danger" type="button">${deleteIt}</button></li></template>
</section>`;
}
