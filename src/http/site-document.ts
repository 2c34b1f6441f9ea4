import type { IncomingHttpHeaders } from 'node:http';
import type { Document, Documents } from '../publishing/document.ts';
import { chooseLanguage } from './choose-language.ts';

/** Finds the document at a path, in the language of the request where there are several. */
export function findSiteDocument(
  documents: Documents,
  path: string,
  query: string,
  headers: IncomingHttpHeaders,
): Document | undefined {
  const document = documents.get(path);
  if (!document?.vary.includes('Accept-Language')) return document;
  return documents.get(`${path}?lang=${chooseLanguage(query, headers['accept-language'])}`) ?? document;
}
