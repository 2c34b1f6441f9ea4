import { formatDuration, localizeSize } from './formats.ts';
import { fill, type Html, html } from './html.ts';
import type { UploadTranslations } from './i18n/translations.ts';
import { renderUploadPage } from './layout.ts';

interface DropPage {
  uploadUrl: string;
  maxBytes: number;
  /** `100.00 MB` */
  maxSize: string;
  /** The lifetimes to choose from, shortest first; the last one is the default. */
  lifetimesMs: readonly number[];
  timeZone: string;
  /** Whether uploads need a token. */
  needsToken: boolean;
}

/** The front page of the uploads: a form that works by itself, and a drop zone where there is JavaScript. */
export function renderDropPage(page: DropPage, texts: UploadTranslations): string {
  const { uploadUrl, maxBytes, lifetimesMs, timeZone } = page;
  const max = localizeSize(page.maxSize, texts.locale);
  const longest = formatDuration(lifetimesMs.at(-1) ?? 0, texts.locale);
  return renderUploadPage(texts, {
    title: texts.title,
    modules: ['drop.js'],
    body: html`<h1>${texts.title}</h1>
<p class="lead">${fill(texts.lead, { longest })}</p>
<p id="notice" class="card" role="status"></p>
${renderAll(texts)}<form id="drop" class="card drop" method="post" action="/upload" enctype="multipart/form-data" data-max-bytes="${maxBytes}" data-max-size="${max}" data-time-zone="${timeZone}" data-texts="${JSON.stringify(texts.scripts)}">
${page.needsToken ? renderToken(texts) : []}${renderLifetimes(lifetimesMs, texts)}<label class="file">
<span class="form-only">${fill(texts.choose, { max })}</span>
<span class="live">${fill(texts.chooseLive, { max })}<span class="drag">${texts.chooseDrop}</span></span>
<span class="button live" aria-hidden="true">${texts.chooseButton}</span>
<input id="file" type="file" name="file" required>
</label>
<label class="check quiet live"><input id="place" type="checkbox" checked> ${texts.removePlace}</label>
<button class="form-only" formaction="/upload?lang=${texts.language}">${texts.upload}</button>
</form>
${renderList(texts)}
<details>
<summary>${texts.terminal}</summary>
<pre>curl ${page.needsToken ? `-H 'Authorization: Bearer TOKEN' ` : ''}-T photo.jpg ${uploadUrl}</pre>
${page.needsToken ? html`<p class="quiet">${texts.terminalToken}</p>\n` : []}
<p class="quiet">${fill(texts.terminalHint, {
      option: html`<code>?expires=1h</code>`,
      header: html`<code>X-Delete-Url</code>`,
      configuration: html`<a href="/sharex.sxcu">${texts.configuration}</a>`,
    })}</p>
</details>
<p class="quiet"><a href="/docs?lang=${texts.language}">${texts.forDevelopers}</a></p>`,
  });
}

/** The link to all files of a visit, which is what people want to send. The script shows it. */
function renderAll(texts: UploadTranslations): Html {
  return html`<section id="all" class="card" role="status" hidden>
<h2 class="title"></h2>
<p><a class="name"></a></p>
<p class="cluster">${renderCopy('all', '', texts, 'copy-all')}${renderShare('', texts)}</p>
</section>
`;
}

/** Without scripts the browser itself asks for the token. */
function renderToken({ token }: UploadTranslations): Html {
  return html`<div id="token-box" class="live">
<label for="token"><b>${token.label}</b></label>
<input id="token" type="password" autocomplete="current-password" spellcheck="false" aria-describedby="token-hint">
<p id="token-hint" class="quiet">${token.hint}</p>
</div>
`;
}

/** The field comes before the file, because the server needs its value first. Empty where there is no choice. */
function renderLifetimes(lifetimesMs: readonly number[], { keepFor, locale }: UploadTranslations): Html | [] {
  if (lifetimesMs.length < 2) return [];
  const options = lifetimesMs.map(
    (ms) =>
      html`<option value="${ms}ms"${ms === lifetimesMs.at(-1) ? html` selected` : ''}>${formatDuration(ms, locale)}</option>`,
  );
  return html`<label class="cluster"><span>${keepFor}</span> <select id="lifetime" name="expires">${options}</select></label>\n`;
}

/** The uploads of this browser, under way and done. The script fills the list. */
function renderList(texts: UploadTranslations): Html {
  return html`<section id="mine" aria-labelledby="mine-name" hidden>
<h2 id="mine-name">${texts.mine}</h2>
<p id="summary" role="status"></p>
<ul class="card lines"></ul>
<p class="quiet">${texts.mineLead}</p>
<template><li>
<h3 class="name short" dir="auto" tabindex="-1"></h3>
<progress value="0" hidden></progress>
<p class="done links cluster ends" hidden><span class="quiet">${texts.expires} <span class="expiry"></span></span>${renderCopy('page', '', texts, 'copy-page')}</p>
<details class="links" hidden>
<summary>${texts.more}</summary>
<dl>
<dt>${texts.page}</dt><dd><a class="page"></a></dd>
<dt>${texts.direct}</dt><dd><a class="direct"></a></dd>
</dl>
<p class="cluster">${renderShare('', texts)}${renderCopy('direct', '', texts)}${renderCopy('deletion', '', texts)}<button class="plain danger delete" type="button" aria-live="polite">${texts.deleteIt}</button></p>
</details>
<p class="message" role="status"></p>
<div class="working cluster ends">
<p class="upload-status quiet cluster ends"><span></span><span></span></p>
<p class="cluster"><button class="plain retry" type="button"></button><button class="plain pause" type="button"></button><button class="plain cancel" type="button"></button></p>
</div>
</li></template>
</section>`;
}

type LinkKind = keyof UploadTranslations['copy'];

/** A link with its name and a button that copies it. */
export function renderLink(id: Exclude<LinkKind, 'all'>, address: string, texts: UploadTranslations): Html {
  return html`<dt>${texts[id]}</dt>
<dd class="cluster ends"><a id="${id}" href="${address}">${address}</a>${renderCopy(id, address, texts)}</dd>`;
}

/** A button that copies a link; hidden until a script shows those that work. Without an address, a script adds it. */
export function renderCopy(
  kind: LinkKind,
  address: string,
  { copy, copied }: UploadTranslations,
  style = `plain copy-${kind}`,
): Html {
  return html`<button class="${style}" type="button" data-copy="${address}" data-done="${copied}" hidden>${copy[kind]}</button>`;
}

/** A button that shares a link, as `renderCopy`. */
export function renderShare(address: string, { share }: UploadTranslations): Html {
  return html`<button class="plain" type="button" data-share="${address}" hidden>${share}</button>`;
}
