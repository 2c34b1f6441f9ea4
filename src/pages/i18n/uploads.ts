import type { Language } from './translations.ts';
import { uploadsEn } from './uploads-en.ts';
import { uploadsId } from './uploads-id.ts';

/** The texts of the uploads' pages in one language. `{…}` is replaced by a value where a text is shown. */
export type UploadTranslations = typeof uploadsEn & {
  language: Language;
  /** `mailto:…` or `https://…` of the operator, where it is known. */
  operator?: string | null;
};

export const UPLOAD_TRANSLATIONS: Record<Language, UploadTranslations> = {
  id: { ...uploadsId, language: 'id' },
  en: { ...uploadsEn, language: 'en' },
};

/** Kinds of errors that differ in what a visitor can do about them. */
export type UploadErrorKind =
  | 'missing'
  | 'expired'
  | 'removed'
  | 'removedLegally'
  | 'blocked'
  | 'tooLarge'
  | 'tooMany'
  | 'full'
  | 'wrongType'
  | 'malware'
  | 'wrong'
  | 'away'
  | 'broken';
