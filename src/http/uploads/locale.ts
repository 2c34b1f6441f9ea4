import type { Context } from 'koa';
import { createExpiry, type PresentExpiry } from '../../pages/formats.ts';
import {
  LANGUAGES,
  type Language,
  type UploadTranslations,
  uploadTranslations,
} from '../../pages/i18n/translations.ts';
import { chooseLanguage } from '../negotiate.ts';

/** What a page needs to be in one language. */
export interface Locale {
  texts: UploadTranslations;
  presentExpiry: PresentExpiry;
}

/** Returns a function from a request to the locale of the language that it asks for. `operator`: the contact on its pages. */
export function createLocales(timeZone: string, operator: string | null = null): (ctx: Context) => Locale {
  const locales = LANGUAGES.map((language): [Language, Locale] => {
    const texts = uploadTranslations(language, operator);
    return [language, { texts, presentExpiry: createExpiry(texts, timeZone) }];
  });
  const byLanguage = new Map(locales);
  return (ctx) => byLanguage.get(chooseLanguage(ctx.querystring, ctx.get('Accept-Language')))!;
}
