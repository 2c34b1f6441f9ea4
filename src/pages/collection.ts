import { renderCopy, renderShare } from './drop.ts';
import { type Expiry, localizeSize } from './formats.ts';
import { fill, type Html, html } from './html.ts';
import type { UploadTranslations } from './i18n/translations.ts';
import { renderMetaTags, renderUploadPage } from './layout.ts';

export interface CollectionPage {
  /** Public address of this page. */
  url: string;
  /** Paths on this origin: of all files as one archive, and of the form that reports the collection. */
  archive: string;
  report: string;
  /** `1.21 MB`, of all files together. */
  size: string;
  expiry: Expiry;
  files: CollectedFile[];
}

interface CollectedFile {
  /** As `displayName` returns it. */
  name: string;
  /** `1.21 MB` */
  size: string;
  /** Paths of the file's page and of its bytes on this origin. */
  page: string;
  file: string;
  /** Whether browsers show it as a picture. */
  isPicture: boolean;
}

/** Several files under one link, as people see them; complete without JavaScript. */
export function renderCollectionPage(page: CollectionPage, texts: UploadTranslations): string {
  const { url, files, expiry } = page;
  const { collection, language, locale } = texts;
  const size = localizeSize(page.size, locale);
  const title = fill(files.length === 1 ? collection.titleOne : collection.title, { n: files.length });
  const description = fill(texts.linkPreview, { size, at: expiry.date });
  return renderUploadPage(texts, {
    title: title.text,
    head: renderMetaTags(locale, title.text, description, { 'og:url': url, 'twitter:card': 'summary' }),
    modules: ['share.js'],
    body: html`<h1>${title}</h1>
<p class="cluster"><a class="button" href="${page.archive}" download>${fill(collection.download, { size })}</a>${renderCopy('page', url, texts)}${renderShare(url, texts)}</p>
<ul class="card lines collection">
${files.map((file) => renderFile(file, texts))}</ul>
<p class="quiet">${texts.expires} ${expiry.shown}</p>
<p class="quiet"><a href="${page.report}?lang=${language}" rel="nofollow">${collection.report}</a></p>`,
  });
}

function renderFile({ name, size, page, file, isPicture }: CollectedFile, texts: UploadTranslations): Html {
  const { collection, language, locale } = texts;
  const preview = isPicture
    ? html`<img src="${file}" width="96" height="96" alt="" loading="lazy">`
    : html`<span class="kind" aria-hidden="true">${extensionIn(name)}</span>`;
  const label = fill(collection.downloadOne, { name });
  return html`<li>
<a class="look" href="${page}?lang=${language}" tabindex="-1" aria-hidden="true">${preview}</a>
<div>
<p><a class="name" dir="auto" href="${page}?lang=${language}">${name}</a></p>
<p class="cluster"><span class="quiet">${localizeSize(size, locale)}</span><a href="${file}" download="${name}" aria-label="${label}">${collection.downloadIt}</a></p>
</div>
</li>
`;
}

/** At most five letters stand in the place of a preview. */
function extensionIn(name: string): string {
  const [, extension = ''] = /\.([a-z0-9]{1,5})$/iu.exec(name) ?? [];
  return extension.toUpperCase();
}
