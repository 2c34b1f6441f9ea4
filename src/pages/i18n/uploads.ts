import type { ReportReason } from '../../domain/file-report.ts';
import type { Language } from './translations.ts';
import { uploadsEn } from './uploads-en.ts';
import { uploadsId } from './uploads-id.ts';

export const UPLOAD_TRANSLATIONS: Record<Language, UploadTranslations> = { id: uploadsId, en: uploadsEn };

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

/** Every text of the uploads' pages in one language. `{…}` is replaced by a value where the text is shown. */
export interface UploadTranslations {
  language: Language;
  /** For dates and numbers. */
  locale: string;

  title: string;
  /** `{longest}`: `24 hours`. */
  lead: string;
  choose: string;
  /** `{max}`. */
  chooseLive: string;
  chooseButton: string;
  keepFor: string;
  upload: string;
  uploaded: string;
  page: string;
  direct: string;
  deletion: string;
  deletionHint: string;
  expires: string;
  /** `{left}`: `23 hours`; `{at}`: `21:40 GMT+7`. */
  expiresIn: string;
  copy: Record<'page' | 'direct' | 'deletion', string>;
  copyAll: string;
  copied: string;
  share: string;
  another: string;
  deleteIt: string;
  mine: string;
  mineLead: string;
  terminal: string;
  /** `{option}`, `{header}`, `{configuration}`. */
  terminalHint: string;
  configuration: string;
  forDevelopers: string;
  contact: string;
  /** `mailto:…` or `https://…` of the operator, where it is known; the same in every language. */
  operator?: string | null;

  download: string;
  size: string;
  type: string;
  thisPage: string;
  qrCode: string;
  theText: string;
  goesOn: string;
  noPreview: string;
  /** The description in a preview of a link to a file: `{size}`, `{at}`. */
  linkPreview: string;

  deleteTitle: string;
  deleteQuestion: string;
  deleteWarning: string;
  deleteNow: string;
  deleted: string;
  deletedLead: string;

  report: {
    /** On the page of a file. */
    link: string;
    /** `{name}`. */
    title: string;
    heading: string;
    lead: string;
    reason: string;
    reasons: Record<ReportReason, string>;
    note: string;
    noteHint: string;
    send: string;
    back: string;
    thanks: string;
    thanksLead: string;
  };

  errors: Record<UploadErrorKind, { heading: string; lead: string }>;
  toFront: string;
  error: string;

  /** The texts of the scripts. */
  scripts: {
    locale: string;
    /** `{max}`. */
    tooManyFiles: string;
    /** `{size}`, `{max}`. */
    tooLarge: string;
    notSent: string;
    cancel: string;
    /** `{name}`. */
    cancelled: string;
    /** `{name}`. */
    cancelledLate: string;
    retry: string;
    /** Takes a file that failed off the list. */
    dismiss: string;
    queued: string;
    starting: string;
    /** `{done}`, `{total}`. */
    progress: string;
    /** `{speed}`, `{left}`. */
    speed: string;
    sent: string;
    pause: string;
    resume: string;
    paused: string;
    /** While there is no connection. */
    waiting: string;
    /** `{name}`: a file that an earlier visit has not sent whole. */
    unfinished: string;
    /** `{seconds}`. */
    busy: string;
    oneDone: string;
    /** `{done}`, `{total}`. */
    someDone: string;
    /** `{done}`, `{total}`, `{failed}`. */
    someFailed: string;
    deleteSure: string;
    notDeleted: string;
    /** `{name}`. */
    deleted: string;
    expiresIn: string;
    /** By status; `other` for the rest. Empty where the message of the answer is shown, which is in English. */
    refusals: Record<string, string>;
  };
}
