import type { ErrorCode } from '../domain/errors.ts';
import { html } from './html.ts';
import { fill } from './i18n/all.ts';
import type { Translations } from './i18n/translations.ts';
import { renderLayout } from './layout.ts';

export interface ListingError {
  status: number;
  code: ErrorCode;
  message: string;
}

/** The page of an error at the listing's origin. The message of the API is in English, so other languages omit it. */
export function renderListingErrorPage({ status, code, message }: ListingError, words: Translations): string {
  const { heading, lead } = words.errors[kindOf(status, code)];
  return renderLayout({
    title: heading,
    language: words.language,
    body: html`<h1>${heading}</h1>
<p class="lead">${lead}</p>
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
