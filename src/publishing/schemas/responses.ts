import { MAX_NOTE_LENGTH, REPORT_REASONS } from '../../domain/file-report.ts';
import {
  ADDRESS,
  array,
  COUNT,
  FLAG,
  MOMENT,
  MOMENT_OR_NULL,
  object,
  SLUG,
  success,
  TEXT,
} from './schema.ts';

export const ERROR = object({ status: { const: false }, message: TEXT });

export const HEALTH = object({ status: { const: true } });

export const REPAIR = object({
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

const SOURCE = object({
  state: { enum: ['ok', 'blocked', 'moved', 'changed', 'down', null] },
  since: MOMENT_OR_NULL,
  reason: { type: ['string', 'null'] },
  readAt: { ...MOMENT_OR_NULL, description: 'When page 1 of the ongoing list was last read well.' },
  nextAttempt: MOMENT_OR_NULL,
  pending: {
    anyOf: [object({ reason: TEXT, since: MOMENT }), { type: 'null' }],
    description: 'What the last crawl showed that becomes the truth only when it lasts; usually null.',
  },
  repaired: {
    ...array(REPAIR),
    description: 'Selectors that were repaired because the markup of the source has changed; usually none.',
  },
  details: {
    ...object({
      known: COUNT,
      missing: COUNT,
      failed: { ...COUNT, description: 'Those whose page could not be read the last time.' },
    }),
    description: 'How many listed anime have details, which come from pages of their own.',
  },
});

const SNAPSHOT = object({
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

const THREAD = object({
  state: { enum: ['starting', 'running', 'restarting', 'stopped'] },
  since: MOMENT_OR_NULL,
  restarts: COUNT,
  reason: { type: ['string', 'null'], description: 'Why it was last restarted.' },
});

const WEBHOOK = object({
  receiver: TEXT,
  state: { enum: ['ok', 'failing', 'gone', 'standby'] },
  since: MOMENT_OR_NULL,
  reason: { type: ['string', 'null'] },
  pending: COUNT,
  dropped: COUNT,
  nextAttempt: MOMENT_OR_NULL,
});

const DEPENDENCY = { enum: ['ok', 'down', 'absent'] } as const;

export const READINESS = object({
  status: { ...FLAG, description: 'Whether the listing can be answered.' },
  source: SOURCE,
  dependencies: {
    ...object({ store: DEPENDENCY, storage: DEPENDENCY, limiter: DEPENDENCY, scanner: DEPENDENCY }),
    description: 'What this process depends on; absent what it does not use.',
  },
  snapshot: { oneOf: [SNAPSHOT, { type: 'null' }] },
  store: object({
    state: { enum: ['ok', 'down', 'absent'] },
    since: MOMENT_OR_NULL,
    reason: { type: ['string', 'null'] },
    writable: { type: ['boolean', 'null'], description: 'Null when this process has not written.' },
    damagedAt: {
      ...MOMENT_OR_NULL,
      description: 'When this process last set a damaged store aside.',
    },
  }),
  webhooks: { ...array(WEBHOOK), description: 'The receivers that the operator has configured.' },
  threads: {
    type: 'object',
    description: 'The threads of the process beside the one that answers.',
    additionalProperties: THREAD,
  },
});

export const UPLOAD = object({
  status: { const: true },
  result: object({
    originalname: TEXT,
    encoding: TEXT,
    mimetype: TEXT,
    filesize: { ...TEXT, examples: ['1.21 MB'] },
    expired: { ...COUNT, description: 'ms since 1970' },
    expiredFmt: { ...TEXT, description: 'HH:mm:ss DD/MM/YYYY in the service’s time zone' },
    url: { ...ADDRESS, description: 'A page for people.' },
    url_file: { ...ADDRESS, description: 'The bytes.' },
  }),
});

/** What a client sends to report a file. */
export const REPORT = {
  type: 'object',
  properties: {
    reason: { enum: REPORT_REASONS, description: 'What is wrong with the file.' },
    note: { ...TEXT, maxLength: MAX_NOTE_LENGTH, description: 'What the operator should know.' },
  },
  required: ['reason'],
} as const;

/** The answer to a report of a file. */
export const REPORTED = object({ status: { const: true }, message: TEXT });

export const PUSH_KEY = success(object({ key: { ...TEXT, pattern: '^[A-Za-z0-9_-]{87}$' } }));

export const PUSH_ENDPOINT = object({ endpoint: ADDRESS });

/** Browsers add members of their own, such as `expirationTime`. */
export const PUSH_SUBSCRIPTION = object({
  subscription: {
    type: 'object',
    properties: { endpoint: ADDRESS, keys: object({ p256dh: TEXT, auth: TEXT }) },
    required: ['endpoint', 'keys'],
  },
  slugs: { type: 'array', items: SLUG, maxItems: 200 },
} as const);
