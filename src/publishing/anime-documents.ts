import type { AnimeRecord } from '../domain/anime-record.ts';
import { renderAnimePage } from '../pages/anime-page.ts';
import type { FrontPage } from '../pages/front-page.ts';
import { LANGUAGES, type Language, TRANSLATIONS } from '../pages/i18n/translations.ts';
import { createTimes } from '../pages/times.ts';
import { presentAnimeDetail } from './api.ts';
import { type Document, type Documents, JSON_TYPE, renderTimedDocument } from './document.ts';
import { PAGE_TYPE, pageOptions } from './front-page.ts';

export const animeAddress = (slug: string) => `/api/anime/${slug}`;
/** The page of an anime in one language. */
export const animePageAddress = (slug: string, language: Language) => `/anime/${slug}?lang=${language}`;

/** The JSON of an anime is about as short as a compressed copy of it. */
const JSON_ENCODINGS = ['identity'] as const;
/**
 * There are two pages for each anime, so they are compressed once, in the encoding that every client knows. Brotli takes
 * twice the time of an edition's pages, for a tenth less.
 */
const PAGE_ENCODINGS = ['gzip', 'identity'] as const;

interface AnimePageState
  extends Pick<FrontPage, 'timeZone' | 'url' | 'coverOrigins' | 'trouble' | 'hasPush'> {
  /** Wall clock, ms since 1970. */
  now: number;
}

/** The JSON and the pages of each anime, by their addresses. */
export function renderAnimeDocuments(
  state: AnimePageState,
  records: readonly AnimeRecord[],
  before?: Documents,
): [address: string, Document][] {
  const { timeZone, url, coverOrigins, trouble, hasPush, now } = state;
  const languages = LANGUAGES.map((language) => {
    const texts = TRANSLATIONS[language];
    const options = { ...pageOptions(language, coverOrigins), encodings: PAGE_ENCODINGS };
    return { texts, options, times: createTimes(texts.locale, timeZone) };
  });

  function renderJson(record: AnimeRecord): [string, Document] {
    const text = JSON.stringify(presentAnimeDetail(record));
    const address = animeAddress(record.slug);
    const content = { address, contentType: JSON_TYPE, text, encodings: JSON_ENCODINGS };
    return renderTimedDocument(content, now, before);
  }

  function renderPages(record: AnimeRecord): [string, Document][] {
    return languages.map(({ texts, options, times }) => {
      const text = renderAnimePage({ record, url, texts, times, coverOrigins, trouble, hasPush });
      const address = animePageAddress(record.slug, texts.language);
      return renderTimedDocument({ address, contentType: PAGE_TYPE, text, ...options }, now, before);
    });
  }

  return records.flatMap((record) => [renderJson(record), ...renderPages(record)]);
}
