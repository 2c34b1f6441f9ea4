import type { Context } from 'koa';
import { createExpiry, type PresentExpiry } from '../../pages/expiry.ts';
import { LANGUAGES, type Language } from '../../pages/i18n/translations.ts';
import { UPLOAD_TRANSLATIONS, type UploadTranslations } from '../../pages/i18n/uploads.ts';
import { PAGE_POLICY } from '../../pages/layout.ts';
import { chooseLanguage } from '../choose-language.ts';

/** The parts of a page that depend on the visitor. */
export interface Visitor {
  texts: UploadTranslations;
  presentExpiry: PresentExpiry;
}

/** The visitor of a request, by the language that it asks for. */
export function createVisitors(timeZone: string): (ctx: Context) => Visitor {
  const visitors = LANGUAGES.map((language): [Language, Visitor] => {
    const texts = UPLOAD_TRANSLATIONS[language];
    return [language, { texts, presentExpiry: createExpiry(texts, timeZone) }];
  });
  const byLanguage = new Map(visitors);
  return (ctx) => byLanguage.get(chooseLanguage(ctx.querystring, ctx.get('Accept-Language')))!;
}

/** Sends a page of one file: for those who have its address, so no cache keeps it and no link discloses it. */
export function sendPage(ctx: Context, page: string | Buffer, { language }: UploadTranslations): void {
  ctx.status = 200;
  ctx.set({
    'Content-Security-Policy': PAGE_POLICY,
    'Content-Language': language,
    'Referrer-Policy': 'no-referrer',
  });
  ctx.vary('Accept-Language');
  ctx.type = 'html';
  ctx.body = page;
}
