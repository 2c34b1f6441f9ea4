import { formatSize } from '../../domain/units.ts';
import type { ApiDescription } from '../../pages/api-description.ts';
import { renderDocsPage } from '../../pages/docs.ts';
import { formatDuration } from '../../pages/expiry.ts';
import { LANGUAGES, type Language, TRANSLATIONS } from '../../pages/i18n/translations.ts';
import { PAGE_POLICY } from '../../pages/layout.ts';
import { createDocument, type Document } from '../../publishing/document.ts';
import { readDescription } from './read-description.ts';

/** What the description says of this installation. */
export interface ApiFacts {
  version: string;
  /** Public origins. */
  origins: { listing: string; uploads: string };
  timeZone: string;
  limits: {
    maxBytes: number;
    ttlMs: number;
    rateLimit: number;
    rateWindowMs: number;
    concurrency: number;
  };
}

const HEADERS = ['Content-Security-Policy', PAGE_POLICY, 'Referrer-Policy', 'no-referrer'];

/**
 * The documents that describe both origins, by their addresses: `/openapi.json`, and `/docs` with a document for each
 * language beside it (`/docs?lang=en`). `now`: ms since 1970.
 */
export function describeApi(facts: ApiFacts, now: number): [address: string, Document][] {
  const description = createDocument(
    'application/json; charset=utf-8',
    JSON.stringify(describeIn('en', facts)),
    now,
    { headers: HEADERS },
  );
  const pages = LANGUAGES.map((language): [string, Document] => {
    const page = renderDocsPage(describeIn(language, facts), language);
    const headers = [...HEADERS, 'Content-Language', language];
    const options = { headers, vary: ['Accept-Language'] };
    return [`/docs?lang=${language}`, createDocument('text/html; charset=utf-8', page, now, options)];
  });
  // The first language is the default.
  return [['/openapi.json', description], ['/docs', pages[0]![1]], ...pages];
}

/** The description of both origins (OpenAPI 3.1) in one language. */
export function describeIn(language: Language, facts: ApiFacts): ApiDescription {
  const { version, origins, timeZone, limits } = facts;
  const { locale } = TRANSLATIONS[language];
  return readDescription(language, {
    ...origins,
    version,
    timeZone,
    maxSize: formatSize(limits.maxBytes).replace('.00 ', ' '),
    longest: formatDuration(limits.ttlMs, locale),
    rateLimit: String(limits.rateLimit),
    rateWindow: formatDuration(limits.rateWindowMs, locale),
    concurrency: String(limits.concurrency),
  });
}
