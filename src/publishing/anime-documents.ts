import type { AnimeRecord } from '../domain/anime-record.ts';
import { changedAt, type Snapshot } from '../domain/listing.ts';
import { renderAnimePage } from '../pages/anime-page.ts';
import { LANGUAGES, type Language, TRANSLATIONS } from '../pages/i18n/translations.ts';
import { pagePolicy } from '../pages/layout.ts';
import { createTimes } from '../pages/times.ts';
import type { Trouble } from '../pages/trouble.ts';
import { presentAnimeDetail } from './api.ts';
import { type Document, type DocumentOptions, type Documents, sameOr } from './document.ts';

export const animeAddress = (slug: string) => `/api/anime/${slug}`;
/** The page of an anime in one language. */
export const animePageAddress = (slug: string, language: Language) => `/anime/${slug}?lang=${language}`;

export interface AnimeDocumentsOptions {
  snapshot: Snapshot;
  records: Iterable<AnimeRecord>;
  timeZone: string;
  /** Public origin; null until it is known. */
  url: string | null;
  coverOrigins: readonly string[];
  /** Every page says it while it lasts. */
  trouble: Trouble | undefined;
  /** Wall clock, ms since 1970. */
  now: number;
}

/** The JSON of an anime is about as short as a compressed copy of it. */
const JSON_OPTIONS: DocumentOptions = { encodings: ['identity'] };
/** There are two pages for each anime, so they are compressed once and quickly. */
const PAGE_ENCODINGS = ['br', 'identity'] as const;

/** The JSON and the pages of each anime, by their addresses. */
export function renderAnimeDocuments(
  { snapshot, records, timeZone, url, coverOrigins, trouble, now }: AnimeDocumentsOptions,
  before?: Documents,
): [address: string, Document][] {
  const listChangedAt = changedAt(snapshot);
  const policy = pagePolicy(coverOrigins);
  const languages = LANGUAGES.map((language) => {
    const words = TRANSLATIONS[language];
    const headers = [
      ...['Content-Security-Policy', policy],
      ...['Content-Language', language, 'Referrer-Policy', 'no-referrer'],
    ];
    const options: DocumentOptions = { vary: ['Accept-Language'], headers, encodings: PAGE_ENCODINGS };
    return { words, options, times: createTimes(words.locale, timeZone) };
  });

  /** `since`: when trouble began, which the first rendering dates a page by. */
  function same(
    address: string,
    type: string,
    text: string,
    options: DocumentOptions,
    since = 0,
  ): [string, Document] {
    const old = before?.get(address);
    // Time alone changes it too. A client that asks "since?" by the second must not miss a change.
    const at = old ? Math.max(now, listChangedAt, old.changedAt + 1_000) : Math.max(listChangedAt, since);
    return [address, sameOr(old, type, text, at, options)];
  }

  const troubleSince = trouble?.since;

  return [...records].flatMap((record) => [
    same(
      animeAddress(record.slug),
      'application/json; charset=utf-8',
      JSON.stringify(presentAnimeDetail(record)),
      JSON_OPTIONS,
    ),
    ...languages.map(({ words, options, times }) => {
      const text = renderAnimePage({ record, url, words, times, coverOrigins, trouble });
      const address = animePageAddress(record.slug, words.language);
      return same(address, 'text/html; charset=utf-8', text, options, troubleSince);
    }),
  ]);
}
