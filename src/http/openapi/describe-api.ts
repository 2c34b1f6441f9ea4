import { renderDocsPage } from '../../pages/docs.ts';
import { LANGUAGES, type Language } from '../../pages/i18n/translations.ts';
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
  const pages = LANGUAGES.map((language) => [language, renderPage(language)] as const);

  function renderPage(language: Language): Document {
    const page = renderDocsPage(presentDocs(openApi, origins, language));
    const headers = [...HEADERS, 'Content-Language', language];
    return createDocument('text/html; charset=utf-8', page, now, { headers, vary: ['Accept-Language'] });
  }

  return [
    [
      '/openapi.json',
      createDocument('application/json; charset=utf-8', JSON.stringify(openApi), now, { headers: HEADERS }),
    ],
    ['/docs', pages[0]![1]],
    ...pages.map(([language, page]): [string, Document] => [`/docs?lang=${language}`, page]),
  ];
}
