import { fill, html } from './html.ts';
import type { UploadTranslations } from './i18n/translations.ts';
import { renderLanguages, renderUploadPage } from './layout.ts';

interface ErrorPage {
  status: number;
  /** Its own address, relative to it and without the language, or that of another page where it has none. */
  address: string;
  /** What programs receive, in English. */
  message: string;
  /** The code of the error, where several have the same status. */
  code?: string;
  /** `100 MB`: the maximum size of a file, for texts that contain it. */
  max?: string;
  /** The value of Retry-After, where there is one. */
  retryAfterSeconds?: string;
}

/** Kinds of errors that differ in what a visitor can do about them. */
type UploadErrorKind = keyof UploadTranslations['errors'];

const KINDS: Record<number, UploadErrorKind> = {
  403: 'blocked',
  404: 'missing',
  410: 'expired',
  413: 'tooLarge',
  415: 'wrongType',
  422: 'malware',
  429: 'tooMany',
  451: 'removedLegally',
  503: 'away',
  507: 'full',
};

/** The page of an error at the origin of the uploads. */
export function renderErrorPage(
  { status, address, code, message, max = '', retryAfterSeconds = '' }: ErrorPage,
  texts: UploadTranslations,
): string {
  const { heading, lead } = texts.errors[kindOf(status, code)];
  const text = lead ? fill(lead, { max, seconds: retryAfterSeconds }) : asSentence(message);
  return renderUploadPage(texts, {
    title: heading,
    nav: renderLanguages(texts.language, address),
    body: html`<h1>${heading}</h1>
<p class="lead">${text}</p>
<p><a class="button" href="/?lang=${texts.language}">${texts.toFront}</a></p>
<p class="quiet">${fill(texts.error, { n: status })}</p>`,
  });
}

function kindOf(status: number, code: string | undefined): UploadErrorKind {
  if (code === 'removed') return 'removed';
  return KINDS[status] ?? (status < 500 ? 'wrong' : 'broken');
}

/** Messages start with a small letter and have no full stop, because programs print them after a prefix. */
function asSentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/u, '')}.`;
}
