import { type Html, html } from './html.ts';
import { renderLayout } from './layout.ts';

export interface DropPage {
  uploadUrl: string;
  maxBytes: number;
  /** `100.00 MB` */
  maxSize: string;
  /** The longest life, in words: `24 hours`. */
  longest: string;
}

/** The front page of the uploads: a form that works by itself, and a drop zone where there is JavaScript. */
export function renderDropPage({ uploadUrl, maxBytes, maxSize, longest }: DropPage): string {
  const most = maxSize.replace('.00 ', ' ');
  return renderLayout({
    title: 'Upload a file',
    script: 'drop.js',
    body: html`<h1>Upload a file</h1>
<p class="lead">It gets a page and a direct address, for ${longest} or until you delete it.</p>
<p id="notice" class="card" role="alert" hidden></p>
<form id="drop" class="card drop" method="post" action="/upload" enctype="multipart/form-data" data-max-bytes="${maxBytes}" data-max-size="${most}">
<label>
<span>Choose a file of up to ${most}<span class="live-only">, drop it here, or paste it</span></span>
<input id="file" type="file" name="file" required>
</label>
<button>Upload</button>
</form>
${PROGRESS}
${DONE}
<h2>From a terminal</h2>
<pre>curl -F file=@photo.jpg ${uploadUrl}/upload</pre>
<p class="quiet">Add <code>?expires=1h</code> for a shorter life. The answer's <code>X-Delete-Url</code> deletes the file. For ShareX there is <a href="/sharex.sxcu">a configuration</a>.</p>`,
  });
}

const PROGRESS = html`<section id="progress" class="card" hidden>
<h2 tabindex="-1">Uploading <span class="name"></span></h2>
<progress aria-label="Progress of the upload"></progress>
<p id="pace" class="pace"><span></span><span></span></p>
<button id="cancel" class="plain" type="button">Cancel</button>
</section>`;

const DONE = html`<section id="done" class="card" hidden>
<h2 tabindex="-1">Uploaded <span class="name"></span></h2>
<dl class="addresses">
${renderAddress('page', 'Page')}
${renderAddress('direct', 'Direct address')}
${renderAddress('deletion', 'To delete it later')}
<dt>Expires</dt><dd id="expires"></dd>
</dl>
<p class="actions">
<button id="another" type="button">Upload another</button>
<button id="delete" class="plain danger" type="button">Delete it</button>
</p>
</section>`;

/** An address that the script fills in, with a button that copies it. */
function renderAddress(id: string, label: string): Html {
  return html`<dt>${label}</dt>
<dd><a id="${id}"></a><button class="plain" type="button" aria-describedby="${id}">Copy</button></dd>`;
}
