import type { ErrorCode } from '../domain/errors.ts';
import { createTimes, localizeSize } from './formats.ts';
import { fill, type Html, html } from './html.ts';
import type { Translations, UploadTranslations } from './i18n/translations.ts';
import { renderLayout, renderMessage, renderUploadPage } from './layout.ts';
import { renderFooter } from './listing-page.ts';

interface ErrorPage {
  status: number;
  /** Its own address, relative to it and without the language, or that of another page where it has none. */
  address: string;
  /** What programs receive, in English. It may name hosts, so it is folded. */
  message: string;
  code: ErrorCode;
}

function renderDetails({ status, message }: ErrorPage, texts: { details: string; error: string }): Html {
  return html`<details class="quiet"><summary>${texts.details}</summary><p>${fill(texts.error, { n: status })}: <code lang="en">${message}</code></p></details>`;
}

interface UploadError extends ErrorPage {
  /** `100 MB`: the maximum size of a file, for texts that contain it. */
  max: string;
  /** The value of Retry-After; empty where there is none. */
  retryAfterSeconds: string;
}

/** The page of an error at the origin of the uploads. */
export function renderUploadErrorPage(error: UploadError, texts: UploadTranslations): string {
  const { status, address, code, retryAfterSeconds } = error;
  const known = texts.errors[code === 'removed' ? code : (String(status) as '404')];
  const { heading, lead } = known ?? texts.errors[status < 500 ? 'wrong' : 'broken'];
  const values = { max: localizeSize(error.max, texts.locale), seconds: retryAfterSeconds };
  return renderUploadPage(texts, {
    title: heading,
    address,
    body: html`${renderMessage(heading, fill(lead, values), [`/?lang=${texts.language}`, texts.toFront])}
${renderDetails(error, texts)}`,
  });
}

interface ListingError extends ErrorPage {
  /** The time of the next crawl, ms since 1970; null where it is not known or does not matter for the error. */
  nextAttempt: number | null;
  /** Whether the address is that of the page of an anime. */
  isAnime: boolean;
}

/** The page of an error at the listing's origin. */
export function renderListingErrorPage(error: ListingError, texts: Translations, timeZone: string): string {
  const { status, address, nextAttempt } = error;
  const { language } = texts;
  const kind = listingKindOf(error);
  const { heading, lead } = texts.errors[kind];
  const front = `/?lang=${language}`;
  const link =
    kind === 'unknownAnime'
      ? ([`${front}#Search`, texts.toSearch] as const)
      : ([front, status === 503 ? texts.again : texts.toFront] as const);
  const { moment } = createTimes(texts.locale, timeZone);
  const next = nextAttempt === null ? '' : fill(texts.nextAttempt, { time: moment(nextAttempt) });
  return renderLayout({
    title: heading,
    language,
    address,
    footer: renderFooter(texts),
    body: html`${renderMessage(heading, html`${lead} ${next}`, link)}
${renderDetails(error, texts)}`,
  });
}

function listingKindOf({ status, code, isAnime }: ListingError): keyof Translations['errors'] {
  if (status === 404) return isAnime ? 'unknownAnime' : 'missing';
  if (code === 'not-ready') return 'waiting';
  if (code.startsWith('source-')) return 'failing';
  return status < 500 ? 'wrong' : 'broken';
}
