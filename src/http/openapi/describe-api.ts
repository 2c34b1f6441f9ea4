import { renderDocsPage } from '../../pages/docs.ts';
import { LANGUAGES } from '../../pages/i18n/translations.ts';
import { PAGE_POLICY } from '../../pages/layout.ts';
import { createDocument, type Document } from '../../publishing/document.ts';
import { createOpenApi } from './document.ts';
import { presentDocs } from './present-docs.ts';

export interface ApiOrigins {
  /** Public origins. */
  listing: string;
  uploads: string;
}

const HEADERS = ['Content-Security-Policy', PAGE_POLICY, 'Referrer-Policy', 'no-referrer'];

/**
 * The documents that describe both origins, by their addresses: `/openapi.json`, and `/docs` with a document for each
 * language beside it (`/docs?lang=en`). `now`: ms since 1970.
 */
export function describeApi(
  origins: ApiOrigins,
  version: string,
  now: number,
): [address: string, Document][] {
  const openApi = createOpenApi(origins, version);
  const description = createDocument('application/json; charset=utf-8', JSON.stringify(openApi), now, {
    headers: HEADERS,
  });
  const pages = LANGUAGES.map((language): [string, Document] => {
    const page = renderDocsPage(presentDocs(openApi, origins, language));
    const headers = [...HEADERS, 'Content-Language', language];
    const options = { headers, vary: ['Accept-Language'] };
    return [`/docs?lang=${language}`, createDocument('text/html; charset=utf-8', page, now, options)];
  });
  // The first language is the default.
  return [['/openapi.json', description], ['/docs', pages[0]![1]], ...pages];
}
