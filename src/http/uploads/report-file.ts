import type { Context } from 'koa';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { displayName } from '../../domain/file-name.ts';
import {
  type FileReport,
  isReportReason,
  MAX_NOTE_LENGTH,
  REPORT_REASONS,
} from '../../domain/file-report.ts';
import { addressBuckets } from '../../network/address-buckets.ts';
import type { Limiter } from '../../network/limiter.ts';
import { type Reportable, renderReportedPage, renderReportPage } from '../../pages/report.ts';
import type { Reported } from '../../publishing/schemas/responses.ts';
import type { FromSchema } from '../../publishing/schemas/schema.ts';
import type { Collections } from '../../uploads/collections/collections.ts';
import type { ReportFile } from '../../uploads/moderation/reports.ts';
import type { Uploads } from '../../uploads/uploads.ts';
import { sendPage } from '../page-documents.ts';
import { refuseOverLimit } from '../refuse-over-limit.ts';
import { readSmallBody } from '../request-body.ts';
import type { Locales } from './locale.ts';

/** How many reports one address may send in the window of the limiter. */
const MAX_REPORTS = 10;
/** A note of the longest length with every character escaped, and the rest of the form. */
const MAX_BODY_BYTES = 32 * 1024;

interface ReportRoutesOptions {
  uploads: Uploads;
  collections: Collections;
  reportFile: ReportFile;
  /** Limits reports. Its window is an hour. */
  reportLimiter: Limiter;
  locales: Locales;
  /** Runs work in a place of the owner of a request. */
  inPlace: (ctx: Context, work: () => Promise<void>) => Promise<void>;
}

/** The routes that report a file or a collection. Each throws what `uploads.find` throws. */
export function reportRoutes(options: ReportRoutesOptions) {
  const { uploads, collections, reportFile, reportLimiter, locales, inPlace } = options;

  /** Finds a file or, where there is none, a collection, whose names are those of its files. */
  async function find(id: string): Promise<Reportable> {
    try {
      const { description } = await uploads.find(id);
      return { id, names: [displayName(description.originalname)], isCollection: false };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
      const found = await collections.find(id).catch(() => Promise.reject(error));
      const names = found.files.map(({ file }) => displayName(file.description.originalname));
      return { id, names, isCollection: true };
    }
  }

  async function showForm(ctx: Context): Promise<void> {
    const { id }: { id: string } = ctx.params;
    const reported = await find(id);
    sendPage(ctx, (language) => renderReportPage(reported, locales[language]));
  }

  /**
   * Counts only reports that are accepted. An address that has reached the limit is refused before its body is read, for which no
   * place is held: that takes as long as its sender likes.
   */
  async function takeReport(ctx: Context): Promise<void> {
    const { id }: { id: string } = ctx.params;
    const buckets = addressBuckets(ctx.ip, MAX_REPORTS, 'report');
    let isCollection = false;
    await inPlace(ctx, async () => {
      refuseOverLimit(await reportLimiter.peek(buckets), 'reports');
      isCollection = (await find(id)).isCollection;
    });
    const type = ctx.is('json', 'urlencoded');
    if (!type) throw new AppError('unsupported-media-type', UNKNOWN_TYPE);
    const report = parseReport(type, await readSmallBody(ctx, MAX_BODY_BYTES));
    await inPlace(ctx, async () => {
      refuseOverLimit(await reportLimiter.take(buckets), 'reports');
      await reportFile(id, report);
    });
    ctx.vary('Accept');
    if (ctx.accepts('json', 'html') === 'html')
      sendPage(ctx, (language) => renderReportedPage({ id, isCollection }, locales[language]));
    else ctx.body = { status: true, message: THANKS } satisfies FromSchema<typeof Reported>;
    ctx.status = 202;
  }

  return { showForm, takeReport };
}

const THANKS = 'the report has been passed on to the operator of this service';
const UNKNOWN_TYPE = 'send application/json or application/x-www-form-urlencoded, with a body';

/** Parses a report, of a form or in JSON. Throws AppError `invalid-request`. */
function parseReport(type: string, body: string): FileReport {
  const { reason, note = '' } = type === 'json' ? parseJson(body) : parseForm(body);
  if (!isReportReason(reason)) throw invalidRequest(`reason must be one of ${REPORT_REASONS.join(', ')}`);
  if (typeof note !== 'string') throw invalidRequest('note must be a text');
  // A browser sends each line end of a text area as two characters.
  const text = note.replaceAll('\r\n', '\n').toWellFormed();
  if ([...text].length <= MAX_NOTE_LENGTH) return { reason, note: text };
  throw invalidRequest(`note may have ${MAX_NOTE_LENGTH} characters at most; yours has ${[...text].length}`);
}

interface Fields {
  reason?: unknown;
  note?: unknown;
}

function parseJson(body: string): Fields {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Refused below.
  }
  throw invalidRequest('send a JSON object with the reason and, if you like, a note');
}

function parseForm(body: string): Fields {
  const fields = new URLSearchParams(body);
  if (['reason', 'note'].some((name) => fields.getAll(name).length > 1))
    throw invalidRequest('reason and note may be given once each');
  return { reason: fields.get('reason'), note: fields.get('note') ?? '' };
}
