import { timeFormatter } from '../../domain/units.ts';
import { createExpiry, type Expiry } from '../../pages/formats.ts';
import {
  LANGUAGES,
  type Language,
  type UploadTranslations,
  uploadTranslations,
} from '../../pages/i18n/translations.ts';

/** What the pages of uploads need in each language. */
export type Locales = Record<Language, UploadTranslations & { presentExpiry: (expiresAt: number) => Expiry }>;

/** `contact`: the operator's, which pages name. `now`: wall clock. Times are in ms since 1970. */
export function createLocales(timeZone: string, contact: string | null, now: () => number): Locales {
  const formatTime = timeFormatter(timeZone);
  const locales = LANGUAGES.map((language) => {
    const texts = uploadTranslations(language, contact);
    const present = createExpiry(texts, timeZone);
    const presentExpiry = (expiresAt: number) => present(expiresAt, now(), formatTime(expiresAt));
    return [language, { ...texts, presentExpiry }];
  });
  return Object.fromEntries(locales);
}
