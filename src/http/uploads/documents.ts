import { formatSize, HOUR_MS } from '../../domain/units.ts';
import { renderDropPage } from '../../pages/drop.ts';
import { type Language, uploadTranslations } from '../../pages/i18n/translations.ts';
import { createDocument, type Document, type Documents, JSON_TYPE } from '../../publishing/document.ts';
import { pageDocuments } from '../page-documents.ts';
import { type DocumentSource, findSiteDocument } from '../send-document.ts';

interface UploadDocumentsOptions {
  /** Public origin of the uploads. */
  url: string;
  maxBytes: number;
  ttlMs: number;
  timeZone: string;
  /** Where the operator can be reached. */
  contact: string | null;
  /** Who may upload: one of these secrets is needed; none for everybody. */
  tokens: readonly string[];
  /** Documents that every origin has. */
  site: Documents;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

export const UPLOAD_DOCUMENT_PATHS = ['/', '/sharex.sxcu'];

/** The documents of the uploads' origin other than files: its front page, ShareX's configuration, assets. */
export function uploadDocuments(options: UploadDocumentsOptions): DocumentSource {
  const { url, maxBytes, ttlMs, timeZone, contact, tokens, site, now } = options;
  const needsToken = tokens.length > 0;
  const changedAt = now();
  const drop = {
    uploadUrl: url,
    maxBytes,
    maxSize: formatSize(maxBytes),
    // The lifetimes that the form offers, shortest first: the usual ones, and the longest that is allowed.
    lifetimesMs: [...USUAL_LIFETIMES_MS.filter((lifetimeMs) => lifetimeMs < ttlMs), ttlMs],
    timeZone,
    needsToken,
  };
  const render = (language: Language) => renderDropPage(drop, uploadTranslations(language, contact));
  const shareX = JSON.stringify(shareXConfiguration(url, needsToken), null, 2);
  const documents = new Map<string, Document>([
    ...site,
    ...pageDocuments('/', render, changedAt),
    ['/sharex.sxcu', createDocument(JSON_TYPE, shareX, changedAt, { headers: SHAREX_HEADERS })],
  ]);
  return {
    find: (path, query, requestHeaders) => findSiteDocument(documents, path, query, requestHeaders),
    headers: () => [],
    now,
  };
}

const USUAL_LIFETIMES_MS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];

/** ShareX opens the file that a browser has saved. */
const SHAREX_HEADERS = ['Content-Disposition', 'attachment; filename=tayang.sxcu'];

/** https://getsharex.com/docs/custom-uploader */
function shareXConfiguration(url: string, needsToken: boolean) {
  const configuration = {
    Version: '14.0.0',
    Name: `Tayang (${new URL(url).host})`,
    DestinationType: 'ImageUploader, TextUploader, FileUploader',
    RequestMethod: 'POST',
    RequestURL: `${url}/upload`,
    Body: 'MultipartFormData',
    FileFormName: 'file',
    URL: '{json:result.url_file}',
    DeletionURL: '{header:X-Delete-Url}',
    ErrorMessage: '{json:message}',
  };
  // Its user puts the token there.
  return needsToken ? { ...configuration, Headers: { Authorization: 'Bearer TOKEN' } } : configuration;
}
