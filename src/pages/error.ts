import type { ErrorCode } from '../domain/errors.ts';
import { fill, html } from './html.ts';
import type { Translations, UploadTranslations } from './i18n/translations.ts';
import { renderLanguages, renderLayout, renderUploadPage } from './layout.ts';
import { createTimes } from './times.ts';

interface ErrorPage {
  status: number;
  /** Its own address, relative to it and without the language, or that of another page where it has none. */
  address: string;
  /** What programs receive, in English. */
  message: string;
  code: ErrorCode;
}

interface UploadError extends ErrorPage {
  /** `100 MB`: the maximum size of a file, for texts that contain it. */
  max: string;
  /** The value of Retry-After; empty where there is none. */
  retryAfterSeconds: string;
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
export function renderUploadErrorPage(error: UploadError, texts: UploadTranslations): string {
  const { status, address, code, message, max, retryAfterSeconds } = error;
  const { heading, lead } = texts.errors[uploadKindOf(status, code)];
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

function uploadKindOf(status: number, code: ErrorCode): UploadErrorKind {
  if (code === 'removed') return 'removed';
  return KINDS[status] ?? (status < 500 ? 'wrong' : 'broken');
}

/** Messages start with a small letter and have no full stop, because programs print them after a prefix. */
function asSentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/u, '')}.`;
}

interface ListingError extends ErrorPage {
  /** The time of the next crawl, ms since 1970; null where it is not known or does not matter for the error. */
  nextAttempt: number | null;
}

/** The page of an error at the listing's origin. The message of the API is in English, so other languages omit it. */
export function renderListingErrorPage(error: ListingError, texts: Translations, timeZone: string): string {
  const { status, address, code, message, nextAttempt } = error;
  const { heading, lead } = texts.errors[listingKindOf(status, code)];
  const times = createTimes(texts.locale, timeZone);
  const next =
    nextAttempt === null
      ? []
      : html`\n<p>${fill(texts.nextAttempt, { time: times.moment(nextAttempt) })}</p>`;
  return renderLayout({
    title: heading,
    language: texts.language,
    modules: ['language.js'],
    nav: renderLanguages(texts.language, address),
    body: html`<h1>${heading}</h1>
<p class="lead">${lead}</p>${next}
<p><a class="button" href="/?lang=${texts.language}">${status === 503 ? texts.again : texts.toFront}</a></p>
<p class="quiet">${fill(texts.error, { n: status })}${texts.language === 'en' ? `: ${message}` : ''}</p>`,
  });
}

function listingKindOf(status: number, code: ErrorCode): keyof Translations['errors'] {
  if (status === 404) return 'missing';
  if (code === 'not-ready') return 'waiting';
  if (code.startsWith('source-')) return 'failing';
  return status < 500 ? 'wrong' : 'broken';
}
