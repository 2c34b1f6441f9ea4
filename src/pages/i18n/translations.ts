import en from './en.json' with { type: 'json' };
import id from './id.json' with { type: 'json' };

/** In the order in which they are offered; the first is the default. */
export const LANGUAGES = ['id', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Every text of the pages in one language. `{…}` is replaced by a value where the text is shown. */
export type Translations = typeof en & { language: Language };

export const TRANSLATIONS: Record<Language, Translations> = {
  id: { ...id, language: 'id' },
  en: { ...en, language: 'en' },
};

/** The texts of the uploads' pages in one language. */
export type UploadTranslations = Translations['uploads'] &
  Pick<Translations, 'language' | 'locale'> & {
    /** `mailto:…` or `https://…` of the operator, where it is known. */
    operator?: string | null;
  };

export function uploadTranslations(language: Language, operator: string | null = null): UploadTranslations {
  const { uploads, locale } = TRANSLATIONS[language];
  return { ...uploads, language, locale, operator };
}
