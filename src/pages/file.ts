import { renderCopy, renderLink, renderShare } from './drop.ts';
import { type Expiry, localizeSize } from './formats.ts';
import { fill, type Html, html } from './html.ts';
import type { UploadTranslations } from './i18n/translations.ts';
import { renderMessage, renderMetaTags, renderUploadPage, svgAddress } from './layout.ts';

interface FilePage {
  /** As `displayName` returns it. */
  name: string;
  /** `1.21 MB` */
  size: string;
  /** What the file is. */
  mediaType: string;
  /** What its sender called it. */
  sentAs: string;
  /** The type that its bytes are served as, which decides whether a browser shows them. */
  servedType: string;
  expiry: Expiry;
  sha256: string;
  /** Path of the bytes on this origin. */
  file: string;
  /** Path of the form that reports the file. */
  report: string;
  /** Public address of this page. */
  url: string;
  /** An `<svg>` of that address. */
  qrCode: string;
  /** The size of a picture in pixels, where it is known. */
  picture?: { width: number; height: number } | undefined;
  /** The beginning of a text, and whether there is more of it. */
  text?: { beginning: string; goesOn: boolean } | undefined;
}

/** Of a picture that is even taller than so many times its width, the beginning is shown. */
const MAX_SHOWN_RATIO = 3;

/** A file as people see it; complete without JavaScript. */
export function renderFilePage(page: FilePage, texts: UploadTranslations): string {
  const size = localizeSize(page.size, texts.locale);
  const { name, mediaType, sentAs, expiry, sha256, file, url, qrCode } = page;
  const heading = html`<h1 class="name" dir="auto">${name}</h1>`;
  const preview = renderPreview(page, texts);
  const facts = [
    [texts.type, mediaType],
    [texts.sentAs, sentAs],
    ['SHA-256', html`<code>${sha256}</code>`],
    [texts.thisPage, html`<a id="page" href="${url}">${url}</a>`],
  ] as const;
  return renderUploadPage(texts, {
    title: name,
    head: renderHead(page, texts),
    modules: ['share.js'],
    body: html`${kindOf(page) === 'image' ? [preview, heading] : [heading, preview]}
<p class="cluster"><a class="button" href="${file}" download="${name}">${fill(texts.download, { size })}</a>${renderCopy('page', url, texts)}${renderShare(url, texts)}</p>
<p class="quiet">${texts.expires} ${expiry.shown}</p>
<details>
<summary>${texts.facts}</summary>
<div class="card facts cluster">
<dl>
${facts.map(([term, value]) => html`<div class="cluster"><dt>${term}</dt><dd>${value}</dd></div>\n`)}</dl>
<img class="qr" src="${svgAddress(qrCode)}" width="168" height="168" alt="${texts.qrCode}">
</div>
</details>
<p class="quiet"><a href="${page.report}" rel="nofollow">${texts.report.link}</a></p>`,
  });
}

/** `image`, `video`, `audio`, or whatever else its bytes are served as. */
function kindOf({ servedType }: Pick<FilePage, 'servedType'>): string {
  return servedType.split('/')[0] ?? '';
}

function renderPreview(page: FilePage, texts: UploadTranslations): Html {
  const { file, name, text } = page;
  if (text) {
    const more = text.goesOn ? [html`\n<p class="quiet">${texts.goesOn}</p>`] : [];
    // A line end right after the tag is not part of the text.
    return html`<pre class="preview" tabindex="0" role="region" aria-label="${texts.theText}" dir="auto">
${text.beginning}</pre>${more}`;
  }
  const kind = kindOf(page);
  if (kind === 'image') {
    const label = fill(texts.whole, { name });
    const { width = 0, height = 0 } = page.picture ?? {};
    const size = page.picture ? html` width="${width}" height="${height}"` : '';
    const style = !page.picture
      ? 'picture unknown'
      : height > MAX_SHOWN_RATIO * width
        ? 'picture tall'
        : 'picture';
    return html`<a class="${style}" href="${file}" aria-label="${label}"><img src="${file}"${size} alt=""></a>`;
  }
  if (['video', 'audio'].includes(kind))
    return html`<${kind} class="preview" src="${file}" aria-label="${name}" controls playsinline preload="metadata"></${kind}>`;
  return html`<p class="quiet">${texts.noPreview}</p>`;
}

/** What chats show for a link to the page. They keep it, so it has the time of expiry, not the time left. */
function renderHead(
  { name, size, expiry, url, file, servedType }: FilePage,
  texts: UploadTranslations,
): Html {
  const description = fill(texts.linkPreview, { size: localizeSize(size, texts.locale), at: expiry.date });
  const kind = kindOf({ servedType });
  const media = { [`og:${kind}`]: new URL(file, url).href, [`og:${kind}:type`]: servedType };
  return renderMetaTags(texts.locale, name, description, {
    'og:url': url,
    'twitter:card': kind === 'image' ? 'summary_large_image' : 'summary',
    ...(['image', 'video', 'audio'].includes(kind) ? media : {}),
  });
}

interface UploadedPage {
  /** As `displayName` returns it. */
  name: string;
  /** Public addresses. */
  page: string;
  direct: string;
  deletion: string;
  expiry: Expiry;
}

/** The answer to a form that was sent without JavaScript. */
export function renderUploadedPage(
  { name, page, direct, deletion, expiry }: UploadedPage,
  texts: UploadTranslations,
): string {
  return renderUploadPage(texts, {
    title: fill(texts.uploaded, { name }).text,
    address: null,
    modules: ['share.js'],
    body: html`<h1>${fill(texts.uploaded, { name: html`<span class="name lead" dir="auto">${name}</span>` })}</h1>
<dl class="addresses card">
${renderLink('page', page, texts)}
${renderLink('direct', direct, texts)}
<dt>${texts.expires}</dt><dd>${expiry.shown}</dd>
${renderLink('deletion', deletion, texts)}
</dl>
<p class="quiet">${texts.deletionHint}</p>
<p><a class="button" href="/?lang=${texts.language}">${texts.another}</a></p>`,
  });
}

/** Asks before a file is deleted. A form serves visitors with and without JavaScript alike. */
export function renderDeletePage(name: string, texts: UploadTranslations): string {
  return renderUploadPage(texts, {
    title: fill(texts.deleteTitle, { name }).text,
    body: html`<h1>${texts.deleteQuestion}</h1>
<p class="lead name" dir="auto">${name}</p>
<p>${texts.deleteWarning}</p>
<form method="post"><button class="danger">${texts.deleteNow}</button></form>`,
  });
}

export function renderDeletedPage(texts: UploadTranslations): string {
  return renderUploadPage(texts, {
    title: texts.deleted,
    address: null,
    body: renderMessage(texts.deleted, texts.deletedLead, [`/?lang=${texts.language}`, texts.another]),
  });
}
