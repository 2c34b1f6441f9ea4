import type { ErrorCode } from '../domain/errors.ts';
import { fill, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';
import { renderLanguages, renderLayout } from './layout.ts';
import { createTimes } from './times.ts';

interface ListingError {
  status: number;
  /** Its own address, relative to it and without the language, or that of another page where it has none. */
  address: string;
  code: ErrorCode;
  message: string;
  /** The time of the next crawl, ms since 1970; null where it is not known or does not matter for the error. */
  nextAttempt: number | null;
}

/** The page of an error at the listing's origin. The message of the API is in English, so other languages omit it. */
export function renderListingErrorPage(error: ListingError, texts: Translations, timeZone: string): string {
  const { status, address, code, message, nextAttempt } = error;
  const { heading, lead } = texts.errors[kindOf(status, code)];
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

function kindOf(status: number, code: ErrorCode): keyof Translations['errors'] {
  if (status === 404) return 'missing';
  if (code === 'not-ready') return 'waiting';
  if (code.startsWith('source-')) return 'failing';
  return status < 500 ? 'wrong' : 'broken';
}
