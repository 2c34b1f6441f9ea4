import type { Language } from './translations.ts';

/** What the page of the API says around the texts of its description. */
export interface DocsTranslations {
  title: string;
  /** `{program}`: a link to the document for programs. */
  programs: string;
  version: string;
  listing: string;
  uploads: string;
  tasks: string;
  reference: string;
  search: string;
  /** `{n}`: how many entries the search has found. */
  found: string;
  parameters: string;
  required: string;
  optional: string;
  defaultValue: string;
  request: string;
  response: string;
  headers: string;
  /** `{names}`: headers. */
  everyAnswer: string;
  insteadOf: string;
  use: string;
  schemas: string;
  schemasLead: string;
}

export const DOCS_TRANSLATIONS: Record<Language, DocsTranslations> = {
  id: {
    title: 'Untuk pengembang',
    programs: 'Untuk program: {program}.',
    version: 'Versi',
    listing: 'Jadwal',
    uploads: 'Unggahan',
    tasks: 'Yang sering dibutuhkan',
    reference: 'Referensi',
    search: 'Cari di referensi',
    found: 'Ditemukan: {n}',
    parameters: 'Parameter',
    required: 'wajib',
    optional: 'opsional',
    defaultValue: 'bawaan {value}',
    request: 'Permintaan',
    response: 'Jawaban',
    headers: 'Header jawaban',
    everyAnswer: 'Hampir setiap jawaban memuat {names}.',
    insteadOf: 'Sebagai ganti',
    use: 'Pakai',
    schemas: 'Skema',
    schemasLead: 'Bentuk jawaban JSON. Semua properti selalu ada.',
  },
  en: {
    title: 'For developers',
    programs: 'For programs: {program}.',
    version: 'Version',
    listing: 'Listing',
    uploads: 'Uploads',
    tasks: 'Often needed',
    reference: 'Reference',
    search: 'Search the reference',
    found: 'Found: {n}',
    parameters: 'Parameters',
    required: 'required',
    optional: 'optional',
    defaultValue: 'default {value}',
    request: 'Request',
    response: 'Answer',
    headers: 'Response headers',
    everyAnswer: 'Nearly every answer has {names}.',
    insteadOf: 'Instead of',
    use: 'Use',
    schemas: 'Schemas',
    schemasLead: 'The shapes of the JSON answers. Every property is always present.',
  },
};
