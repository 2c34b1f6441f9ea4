import type { Context } from 'koa';
import { LANGUAGES, type Language } from '../pages/i18n/translations.ts';
import { pageHeaders } from '../pages/layout.ts';
import {
  COMPRESSED_WHEN_ASKED,
  type Content,
  type Document,
  renderDocument,
} from '../publishing/document.ts';
import { chooseLanguage } from './negotiate.ts';

/** Of a page that shows nothing of other origins. */
const HEADERS = pageHeaders();
/** The same, names and values in turn. */
export const PAGE_HEADERS = Object.entries(HEADERS).flat();

/** A page in a language, as the content of a document. */
export function pageContent(address: string, language: Language, text: string): Content {
  const headers = [...PAGE_HEADERS, 'Content-Language', language];
  return { address, contentType: 'text/html; charset=utf-8', text, headers, vary: ['Accept-Language'] };
}

/**
 * The documents of a page that is rendered once: one for each language (`/docs?lang=en`), and at the path itself the one in
 * the default language. `now`: ms since 1970.
 */
export function pageDocuments(
  path: string,
  render: (language: Language) => string,
  now: number,
): [address: string, Document][] {
  const pages = LANGUAGES.map((language): [string, Document] => {
    const address = `${path}?lang=${language}`;
    const content = pageContent(address, language, render(language));
    return [address, renderDocument({ ...content, ...COMPRESSED_WHEN_ASKED }, now)];
  });
  // The first language is the default.
  return [[path, pages[0]![1]], ...pages];
}

/** Sends a page that is rendered for the request, in the language that it asks for. */
export function sendPage(ctx: Context, render: (language: Language) => string | Buffer): void {
  const language = chooseLanguage(ctx.querystring, ctx.req.headers);
  ctx.set({ ...HEADERS, 'Content-Language': language });
  ctx.vary('Accept-Language');
  ctx.type = 'html';
  ctx.body = render(language);
}
