import { html } from './html.ts';
import { renderLayout } from './layout.ts';

export interface DropPage {
  uploadUrl: string;
  maxBytes: number;
  /** `100.00 MB` */
  maxSize: string;
  /** The longest life, in words that `?expires=` takes: `24h`. */
  longest: string;
}

/** The front page of the uploads: a form that works by itself, and a drop zone where there is JavaScript. */
export function renderDropPage({ uploadUrl, maxBytes, maxSize, longest }: DropPage): string {
  return renderLayout({
    title: 'Upload a file',
    script: 'drop.js',
    body: html`<h1>Upload a file</h1>
<p>It gets a page and a direct address, and is gone after ${longest} or whenever you like.</p>
<form id="drop" method="post" action="/upload" enctype="multipart/form-data" data-max-bytes="${maxBytes}" data-max-size="${maxSize}">
<label for="file">Choose a file of up to ${maxSize}<span class="enhanced" hidden>, drop it here, or paste it</span></label>
<input id="file" type="file" name="file" required>
<button>Upload</button>
</form>
<section id="progress" aria-live="polite" hidden>
<p class="name" id="sending"></p>
<progress max="1" value="0" aria-label="Progress of the upload"></progress>
<p id="pace" class="quiet"></p>
<button id="cancel" type="button">Cancel</button>
</section>
<p id="refusal" role="alert" hidden></p>
<section id="done" aria-live="polite" hidden>
<h2>Uploaded</h2>
<dl>
<dt>Page</dt><dd><a id="page"></a></dd>
<dt>Direct address</dt><dd><a id="direct"></a></dd>
<dt>Expires</dt><dd id="expires"></dd>
</dl>
<button id="delete" type="button" class="danger">Delete it</button>
</section>
<h2>From a terminal</h2>
<pre tabindex="0">curl -F file=@photo.jpg ${uploadUrl}/upload</pre>
<p class="quiet">Add <code>?expires=1h</code> for a shorter life. The answer's <code>X-Delete-Url</code> deletes the file. For ShareX there is <a href="/sharex.sxcu">a configuration</a>.</p>`,
  });
}
