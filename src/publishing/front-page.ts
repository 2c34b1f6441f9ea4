import { localDay } from '../domain/local-day.ts';
import { type FrontPage, renderFrontPage } from '../pages/front-page.ts';
import { LANGUAGES, type Language, TRANSLATIONS } from '../pages/i18n/translations.ts';
import { pagePolicy } from '../pages/layout.ts';
import { type Document, type DocumentOptions, type Documents, renderTimedDocument } from './document.ts';

export const PAGE_TYPE = 'text/html; charset=utf-8';

/** The front page in one language. */
export const frontPageAddress = (language: Language) => `/?lang=${language}`;

interface FrontPageState extends Omit<FrontPage, 'today'> {
  /** Wall clock, ms since 1970. */
  now: number;
}

/** How a page in one language is sent. */
export function pageOptions(language: Language, coverOrigins: readonly string[]): DocumentOptions {
  return {
    vary: ['Accept-Language'],
    headers: [
      ...['Content-Security-Policy', pagePolicy(coverOrigins)],
      ...['Content-Language', language],
      ...['Referrer-Policy', 'no-referrer'],
    ],
  };
}

/** The front page in every language, by its address. */
export function renderFrontPages(state: FrontPageState, before?: Documents): [address: string, Document][] {
  const { timeZone, coverOrigins, now } = state;
  const page = { ...state, today: localDay(timeZone, now) };
  return LANGUAGES.map((language) => {
    const text = renderFrontPage(page, TRANSLATIONS[language]);
    const options = pageOptions(language, coverOrigins);
    const content = { address: frontPageAddress(language), contentType: PAGE_TYPE, text, ...options };
    return renderTimedDocument(content, now, before);
  });
}
