import Negotiator from 'negotiator';
import { LANGUAGES, type Language } from '../pages/i18n/translations.ts';
import { memoize } from './memoize.ts';

/** Chooses the language of a page: `?lang=`, else what the browser prefers, else the default language. */
export function chooseLanguage(query: string, acceptLanguage = ''): Language {
  const requested = query === '' ? null : new URLSearchParams(query).get('lang');
  return LANGUAGES.find((language) => language === requested) ?? preferredLanguage(acceptLanguage);
}

const preferredLanguage = memoize((acceptLanguage): Language => {
  const negotiator = new Negotiator({ headers: { 'accept-language': acceptLanguage } });
  const preferred = negotiator.language([...LANGUAGES]);
  return LANGUAGES.find((language) => language === preferred) ?? LANGUAGES[0];
});
