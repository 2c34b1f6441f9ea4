import type { Language } from './translations.ts';

/** What the page of the API says around the descriptions of its document. */
export interface DocsTranslations {
  title: string;
  /** `{program}`: a link to the document for programs. */
  lead: string;
  version: string;
  listing: string;
  uploads: string;
  contents: string;
  parameters: string;
  required: string;
  optional: string;
  defaultValue: string;
  request: string;
  response: string;
  /** `{statuses}`: `404, 503`. */
  failures: string;
  headers: string;
  schemas: string;
  schemasLead: string;
}

export const DOCS_TRANSLATIONS: Record<Language, DocsTranslations> = {
  id: {
    title: 'Untuk pengembang',
    lead: 'Semua yang dapat diminta dari layanan ini. Tanpa kunci, tanpa akun; halaman dari mana pun boleh membaca jawabannya. Untuk program: {program}.',
    version: 'Versi',
    listing: 'Jadwal',
    uploads: 'Unggahan',
    contents: 'Daftar isi',
    parameters: 'Parameter',
    required: 'wajib',
    optional: 'opsional',
    defaultValue: 'bawaan {value}',
    request: 'Permintaan',
    response: 'Jawaban',
    failures: 'Jawaban bila gagal: {statuses}',
    headers: 'Header jawaban',
    schemas: 'Skema',
    schemasLead: 'Bentuk jawaban JSON. Semua properti selalu ada.',
  },
  en: {
    title: 'For developers',
    lead: 'Everything that can be requested from this service. No key, no account; pages of any origin may read the answers. For programs: {program}.',
    version: 'Version',
    listing: 'Listing',
    uploads: 'Uploads',
    contents: 'Contents',
    parameters: 'Parameters',
    required: 'required',
    optional: 'optional',
    defaultValue: 'default {value}',
    request: 'Request',
    response: 'Answer',
    failures: 'Answers when it fails: {statuses}',
    headers: 'Response headers',
    schemas: 'Schemas',
    schemasLead: 'The shapes of the JSON answers. Every property is always present.',
  },
};
