import type { ErrorCode } from '../domain/errors.ts';
import { fill, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';
import { renderLayout } from './layout.ts';
import { createTimes } from './times.ts';

interface ListingError {
  status: number;
  code: ErrorCode;
  message: string;
  /** When the source is asked next, ms since 1970; null where that is not known, or says nothing about the error. */
  nextAttempt: number | null;
}

/** The page of an error at the listing's origin. The message of the API is in English, so other languages omit it. */
export function renderListingErrorPage(error: ListingError, words: Translations, timeZone: string): string {
  const { status, code, message, nextAttempt } = error;
  const { heading, lead } = words.errors[kindOf(status, code)];
  const times = createTimes(words.locale, timeZone);
  const next =
    nextAttempt === null
      ? []
      : html`\n<p>${fill(words.nextAttempt, { time: times.moment(nextAttempt) })}</p>`;
  return renderLayout({
    title: heading,
    language: words.language,
    body: html`<h1>${heading}</h1>
<p class="lead">${lead}</p>${next}
<p><a class="button" href="/?lang=${words.language}">${status === 503 ? words.again : words.toFront}</a></p>
<p class="quiet">${fill(words.error, { n: status })}${words.language === 'en' ? `: ${message}` : ''}</p>`,
  });
}

function kindOf(status: number, code: ErrorCode): keyof Translations['errors'] {
  if (status === 404) return 'missing';
  if (code === 'not-ready') return 'waiting';
  if (code.startsWith('source-')) return 'failing';
  return status < 500 ? 'wrong' : 'broken';
}
