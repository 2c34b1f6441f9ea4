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

export const Endpoint = object({ path: TEXT, description: TEXT });
export const ApiIndexData = object({
  endpoints: array(Endpoint),
  docs: ADDRESS,
  openapi: ADDRESS,
  version: TEXT,
});
/** What `/api` answers. */
export const ApiIndex = success(ApiIndexData);

export const Health = object({ status: { const: true } });

export const RepairedSelector = object({
  field: TEXT,
  was: TEXT,
  now: TEXT,
  agreement: {
    type: 'number',
    minimum: 0,
    maximum: 1,
  },
  since: MOMENT,
} as const);

export const DetailsCount = object({
  known: COUNT,
  missing: COUNT,
  failed: COUNT,
});

export const CoverCount = object({
  known: COUNT,
  missing: COUNT,
  failed: COUNT,
});

export const SourceState = object({
  state: { enum: ['ok', 'blocked', 'moved', 'changed', 'down', null] },
  since: MOMENT_OR_NULL,
  reason: TEXT_OR_NULL,
  readAt: MOMENT_OR_NULL,
  unchangedSince: MOMENT_OR_NULL,
  nextAttempt: MOMENT_OR_NULL,
  pending: orNull(object({ reason: TEXT, since: MOMENT })),
  repaired: array(RepairedSelector),
  details: DetailsCount,
});

export const SnapshotState = object({
  refreshedAt: MOMENT_OR_NULL,
  changedAt: MOMENT_OR_NULL,
  anime: COUNT,
  scheduled: COUNT,
  omitted: COUNT,
  keptFromBefore: COUNT,
});

export const ThreadState = object({
  state: { enum: ['starting', 'running', 'restarting', 'stopped'] },
  since: MOMENT_OR_NULL,
  restarts: COUNT,
  reason: TEXT_OR_NULL,
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

export const Dependencies = object({
  store: DEPENDENCY,
  storage: DEPENDENCY,
  limiter: DEPENDENCY,
  scanner: DEPENDENCY,
});

export const StoreState = object({
  state: { enum: ['ok', 'down', 'absent'] },
  since: MOMENT_OR_NULL,
  reason: TEXT_OR_NULL,
  writable: { type: ['boolean', 'null'] },
  damagedAt: MOMENT_OR_NULL,
});

export const StorageState = object({
  state: { enum: ['ok', 'down', 'absent'] },
  reason: TEXT_OR_NULL,
});

export const CalendarState = object({
  state: { enum: ['ok', 'down', 'absent'] },
  readAt: MOMENT_OR_NULL,
});

export const Readiness = object({
  status: FLAG,
  source: SourceState,
  dependencies: Dependencies,
  snapshot: orNull(SnapshotState),
  store: StoreState,
  storage: StorageState,
  covers: CoverCount,
  broadcasts: CalendarState,
  webhooks: array(WebhookState),
  threads: {
    type: 'object',
    additionalProperties: ThreadState,
  },
});

export const UploadedFile = object({
  originalname: TEXT,
  encoding: TEXT,
  mimetype: TEXT,
  filesize: TEXT,
  expired: COUNT,
  expiredFmt: TEXT,
  url: ADDRESS,
  url_file: ADDRESS,
});
export const Upload = object({ status: { const: true }, result: UploadedFile });

/** What a client sends to put several files under one link. */
export const FileList = {
  type: 'object',
  properties: { files: { type: 'array', items: TEXT, minItems: 1, maxItems: 100 } },
  required: ['files'],
} as const;

export const CollectedFile = object({ name: TEXT, filesize: TEXT, url: ADDRESS, url_file: ADDRESS });
export const FileCollection = object({
  url: ADDRESS,
  expired: COUNT,
  expiredFmt: TEXT,
  files: { type: 'array', items: CollectedFile },
});
/** The answer to a request that makes a collection. */
export const CollectedFiles = object({ status: { const: true }, result: FileCollection });

/** What a client sends to report a file. */
export const Report = {
  type: 'object',
  properties: {
    reason: { enum: REPORT_REASONS },
    note: { ...TEXT, maxLength: MAX_NOTE_LENGTH },
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
export const ChannelAddress = object({ url: ADDRESS });
export const ChannelRequest = object({
  url: ADDRESS,
  slugs: orNull({ type: 'array', items: SLUG, maxItems: 200 } as const),
  language: { enum: ['id', 'en'] },
} as const);

export const PushSubscription = object({
  subscription: BrowserSubscription,
  slugs: { type: 'array', items: SLUG, maxItems: 200 },
} as const);
