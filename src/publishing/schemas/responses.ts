import { MAX_NOTE_LENGTH, REPORT_REASONS } from '../../domain/file-report.ts';
import {
  ADDRESS,
  array,
  COUNT,
  FLAG,
  MOMENT,
  MOMENT_OR_NULL,
  object,
  orNull,
  SLUG,
  success,
  TEXT,
  TEXT_OR_NULL,
} from './schema.ts';

/** As in listing.ts, the exports are the named schemas. */

/** https://getsharex.com/docs/custom-uploader */
export const ShareXConfiguration = {
  type: 'object',
  properties: { Name: TEXT, RequestURL: ADDRESS, FileFormName: TEXT },
  required: ['Name', 'RequestURL', 'FileFormName'],
} as const;

/** An OpenAPI 3.1 document: this one. */
export const ApiDocument = {
  type: 'object',
  properties: { openapi: TEXT },
  required: ['openapi'],
  additionalProperties: {},
} as const;

export const Health = object({ status: { const: true } });

export const RepairedSelector = object({
  field: { ...TEXT, description: 'What the selector finds.', examples: ['title', 'schedule heading'] },
  was: { ...TEXT, description: 'The selector that no longer matches.' },
  now: { ...TEXT, description: 'The selector that replaces it.' },
  agreement: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'The share of the known anime on which the pages agree with the last good list.',
  },
  since: MOMENT,
} as const);

export const DetailsCount = {
  ...object({
    known: COUNT,
    missing: COUNT,
    failed: { ...COUNT, description: 'Those whose page could not be read the last time.' },
  }),
  description: 'How many listed anime have details, which come from pages of their own.',
} as const;

export const SourceState = object({
  state: { enum: ['ok', 'blocked', 'moved', 'changed', 'down', null] },
  since: MOMENT_OR_NULL,
  reason: TEXT_OR_NULL,
  readAt: { ...MOMENT_OR_NULL, description: 'When page 1 of the ongoing list was last read well.' },
  nextAttempt: MOMENT_OR_NULL,
  pending: {
    ...orNull(object({ reason: TEXT, since: MOMENT })),
    description: 'What the last crawl showed that becomes the truth only when it lasts; usually null.',
  },
  repaired: {
    ...array(RepairedSelector),
    description: 'Selectors that were repaired because the markup of the source has changed; usually none.',
  },
  details: DetailsCount,
});

export const SnapshotState = object({
  refreshedAt: MOMENT_OR_NULL,
  changedAt: MOMENT_OR_NULL,
  anime: COUNT,
  scheduled: COUNT,
  omitted: { ...COUNT, description: 'Cards left out by the last good crawl, which could not read them.' },
  keptFromBefore: {
    ...COUNT,
    description: 'Cards that it could not read, and that are kept from an earlier crawl.',
  },
});

export const ThreadState = object({
  state: { enum: ['starting', 'running', 'restarting', 'stopped'] },
  since: MOMENT_OR_NULL,
  restarts: COUNT,
  reason: { ...TEXT_OR_NULL, description: 'Why it was last restarted.' },
});

export const WebhookState = object({
  receiver: TEXT,
  state: { enum: ['ok', 'failing', 'gone', 'standby'] },
  since: MOMENT_OR_NULL,
  reason: TEXT_OR_NULL,
  pending: COUNT,
  dropped: COUNT,
  nextAttempt: MOMENT_OR_NULL,
});

const DEPENDENCY = { enum: ['ok', 'down', 'absent'] } as const;

export const Dependencies = {
  ...object({ store: DEPENDENCY, storage: DEPENDENCY, limiter: DEPENDENCY, scanner: DEPENDENCY }),
  description: 'What this process depends on; absent what it does not use.',
} as const;

export const StoreState = object({
  state: { enum: ['ok', 'down', 'absent'] },
  since: MOMENT_OR_NULL,
  reason: TEXT_OR_NULL,
  writable: { type: ['boolean', 'null'], description: 'Null when this process has not written.' },
  damagedAt: {
    ...MOMENT_OR_NULL,
    description: 'When this process last set a damaged store aside.',
  },
});

export const CalendarState = object({
  state: {
    enum: ['ok', 'down', 'absent'],
    description: 'How the last reading of the calendar of broadcasts ended.',
  },
  readAt: MOMENT_OR_NULL,
});

export const Readiness = object({
  status: { ...FLAG, description: 'Whether the listing can be answered.' },
  source: SourceState,
  dependencies: Dependencies,
  snapshot: orNull(SnapshotState),
  store: StoreState,
  broadcasts: CalendarState,
  webhooks: { ...array(WebhookState), description: 'The receivers that the operator has configured.' },
  threads: {
    type: 'object',
    description: 'The threads of the process beside the one that answers.',
    additionalProperties: ThreadState,
  },
});

export const UploadedFile = object({
  originalname: TEXT,
  encoding: TEXT,
  mimetype: TEXT,
  filesize: { ...TEXT, examples: ['1.21 MB'] },
  expired: { ...COUNT, description: 'ms since 1970' },
  expiredFmt: { ...TEXT, description: 'HH:mm:ss DD/MM/YYYY in the service’s time zone' },
  url: { ...ADDRESS, description: 'A page for people.' },
  url_file: { ...ADDRESS, description: 'The bytes.' },
});
export const Upload = object({ status: { const: true }, result: UploadedFile });

/** What a client sends to report a file. */
export const Report = {
  type: 'object',
  properties: {
    reason: { enum: REPORT_REASONS, description: 'What is wrong with the file.' },
    note: { ...TEXT, maxLength: MAX_NOTE_LENGTH, description: 'What the operator should know.' },
  },
  required: ['reason'],
} as const;

/** The answer to a report of a file. */
export const Reported = object({ status: { const: true }, message: TEXT });

export const PushKeyData = object({ key: { ...TEXT, pattern: '^[A-Za-z0-9_-]{87}$' } });
export const PushKey = success(PushKeyData);

export const PushEndpoint = object({ endpoint: ADDRESS });

export const BrowserKeys = object({ p256dh: TEXT, auth: TEXT });
/** Browsers add members of their own, such as `expirationTime`. */
export const BrowserSubscription = {
  type: 'object',
  properties: { endpoint: ADDRESS, keys: BrowserKeys },
  required: ['endpoint', 'keys'],
} as const;
export const PushSubscription = object({
  subscription: BrowserSubscription,
  slugs: { type: 'array', items: SLUG, maxItems: 200 },
} as const);
