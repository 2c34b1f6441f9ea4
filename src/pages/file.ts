import { type Html, html } from './html.ts';
import { renderLayout, svgAddress } from './layout.ts';

export interface FilePage {
  /** Fit to be shown. */
  name: string;
  /** `1.21 MB` */
  size: string;
  mediaType: string;
  /** `HH:mm:ss DD/MM/YYYY` */
  expires: string;
  sha256: string;
  /** Path of the bytes on this origin. */
  file: string;
  /** Public address of this page. */
  url: string;
  /** An `<svg>` of that address. */
  qrCode: string;
  /** The beginning of a text, with whether it goes on. */
  text?: { beginning: string; goesOn: boolean } | undefined;
}

/** A file as people see it; complete without JavaScript. */
export function renderFilePage(page: FilePage): string {
  const { name, size, mediaType, expires, sha256, file, url, qrCode } = page;
  return renderLayout({
    title: name,
    body: html`<h1 class="name" dir="auto">${name}</h1>
${renderPreview(page)}
<p><a class="button" href="${file}" download="${name}">Download (${size})</a></p>
<div class="card facts">
<dl>
<dt>Size</dt><dd>${size}</dd>
<dt>Type</dt><dd>${mediaType}</dd>
<dt>Expires</dt><dd>${expires}</dd>
<dt>SHA-256</dt><dd><code>${sha256}</code></dd>
<dt>This page</dt><dd><a href="${url}">${url}</a></dd>
</dl>
<img class="qr" src="${svgAddress(qrCode)}" width="168" height="168" alt="QR code of this page's address">
</div>`,
  });
}

function renderPreview({ mediaType, file, name, text }: FilePage): Html {
  if (text) {
    const more = text.goesOn
      ? [html`\n<p class="quiet">The file goes on; download it to see all of it.</p>`]
      : [];
    // A line end right after the tag is not part of the text.
    return html`<pre class="preview" tabindex="0" role="region" aria-label="The text" dir="auto">
${text.beginning}</pre>${more}`;
  }
  if (mediaType.startsWith('image/')) return html`<img class="preview" src="${file}" alt="${name}">`;
  if (mediaType.startsWith('video/'))
    return html`<video class="preview" src="${file}" aria-label="${name}" controls preload="metadata"></video>`;
  if (mediaType.startsWith('audio/'))
    return html`<audio class="preview" src="${file}" aria-label="${name}" controls preload="metadata"></audio>`;
  return html`<p class="quiet">There is no preview of this type.</p>`;
}

/** Asks before a file is deleted; the form is for who has no JavaScript, and so for everybody. */
export function renderDeletePage(name: string): string {
  return renderLayout({
    title: `Delete ${name}`,
    body: html`<h1>Delete this file?</h1>
<p class="lead name" dir="auto">${name}</p>
<p>It cannot be brought back.</p>
<form method="post"><button class="danger">Delete it now</button></form>`,
  });
}

export function renderDeletedPage(): string {
  return renderLayout({
    title: 'Deleted',
    body: html`<h1>Deleted</h1>
<p class="lead">The file is gone.</p>
<p><a class="button" href="/">Upload another</a></p>`,
  });
}
