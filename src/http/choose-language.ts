import Negotiator from 'negotiator';
import { LANGUAGES, type Language } from '../pages/i18n/translations.ts';

const MAX_REMEMBERED = 100;
const remembered = new Map<string, Language>();

/**
 * The language of a page: what `?lang=` says, else what the browser prefers, else the first there is. Browsers send
 * few different headers, all day long: what they mean is remembered.
 */
export function chooseLanguage(query: string, acceptLanguage = ''): Language {
  const asked = query === '' ? null : new URLSearchParams(query).get('lang');
  const wanted = LANGUAGES.find((language) => language === asked);
  if (wanted) return wanted;
  const known = remembered.get(acceptLanguage);
  if (known) return known;
  const negotiator = new Negotiator({ headers: { 'accept-language': acceptLanguage } });
  const chosen = (negotiator.language([...LANGUAGES]) as Language | undefined) ?? LANGUAGES[0];
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(acceptLanguage, chosen);
  return chosen;
}
