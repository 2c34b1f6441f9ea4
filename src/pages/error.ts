import type { ErrorCode } from '../domain/errors.ts';
import { localizeSize } from './expiry.ts';
import { fill, html } from './html.ts';
import type { Translations, UploadTranslations } from './i18n/translations.ts';
import { renderLanguages, renderLayout, renderUploadPage } from './layout.ts';
import { renderFooter } from './listing-page.ts';
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
  const { status, address, code, message, retryAfterSeconds } = error;
  const { heading, lead } = texts.errors[uploadKindOf(status, code)];
  const max = localizeSize(error.max, texts.locale);
  return renderUploadPage(texts, {
    title: heading,
    nav: renderLanguages(texts.language, address),
    body: html`<h1>${heading}</h1>
<p class="lead">${fill(lead, { max, seconds: retryAfterSeconds })}</p>
<p><a class="button" href="/?lang=${texts.language}">${texts.toFront}</a></p>
<details class="quiet"><summary>${texts.details}</summary><p>${fill(texts.error, { n: status })}: <code lang="en">${message}</code></p></details>`,
  });
}

function uploadKindOf(status: number, code: ErrorCode): UploadErrorKind {
  if (code === 'removed') return 'removed';
  return KINDS[status] ?? (status < 500 ? 'wrong' : 'broken');
}

interface ListingError extends ErrorPage {
  /** The time of the next crawl, ms since 1970; null where it is not known or does not matter for the error. */
  nextAttempt: number | null;
  /** Whether the address is that of the page of an anime. */
  isAnime: boolean;
}

/** The page of an error at the listing's origin. What programs are told, which may name hosts, is folded. */
export function renderListingErrorPage(error: ListingError, texts: Translations, timeZone: string): string {
  const { status, address, message, nextAttempt } = error;
  const { language } = texts;
  const kind = listingKindOf(error);
  const { heading, lead } = texts.errors[kind];
  const times = createTimes(texts.locale, timeZone);
  const next =
    nextAttempt === null
      ? []
      : html`\n<p>${fill(texts.nextAttempt, { time: times.moment(nextAttempt) })}</p>`;
  const [path, name] =
    kind === 'unknownAnime'
      ? [`/?lang=${language}#Search`, texts.toSearch]
      : [`/?lang=${language}`, status === 503 ? texts.again : texts.toFront];
  return renderLayout({
    title: heading,
    language,
    modules: ['language.js'],
    nav: renderLanguages(language, address),
    footer: renderFooter(texts),
    body: html`<h1>${heading}</h1>
<p class="lead">${lead}</p>${next}
<p><a class="button" href="${path}">${name}</a></p>
<details class="quiet"><summary>${texts.details}</summary><p>${fill(texts.error, { n: status })}: <code lang="en">${message}</code></p></details>`,
  });
}

function listingKindOf({ status, code, isAnime }: ListingError): keyof Translations['errors'] {
  if (status === 404) return isAnime ? 'unknownAnime' : 'missing';
  if (code === 'not-ready') return 'waiting';
  if (code.startsWith('source-')) return 'failing';
  return status < 500 ? 'wrong' : 'broken';
}
