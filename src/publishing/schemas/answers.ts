import { MAX_NOTE_LENGTH, REPORT_REASONS } from '../../domain/file-report.ts';
import { ADDRESS, COUNT, FLAG, MOMENT_OR_NULL, record, TEXT } from './schema.ts';

export const ERROR = record({ status: { const: false }, message: TEXT });

export const HEALTH = record({ status: { const: true } });

const SOURCE = record({
  state: { enum: ['ok', 'blocked', 'moved', 'changed', 'down', null] },
  since: MOMENT_OR_NULL,
  reason: { type: ['string', 'null'] },
  nextAttempt: MOMENT_OR_NULL,
});

const SNAPSHOT = record({
  refreshedAt: MOMENT_OR_NULL,
  changedAt: MOMENT_OR_NULL,
  anime: COUNT,
  scheduled: COUNT,
  omitted: { ...COUNT, description: 'Cards left out by the last good crawl, which could not read them.' },
  keptFromBefore: {
    ...COUNT,
    description: 'Cards that it could not read either, and that stand as an earlier crawl read them.',
  },
});

const THREAD = record({
  state: { enum: ['starting', 'running', 'restarting', 'stopped'] },
  since: MOMENT_OR_NULL,
  restarts: COUNT,
  reason: { type: ['string', 'null'], description: 'Why it was last restarted.' },
});

export const READINESS = record({
  status: { ...FLAG, description: 'Whether the listing can be answered.' },
  source: SOURCE,
  snapshot: { oneOf: [SNAPSHOT, { type: 'null' }] },
  store: record({
    state: { enum: ['ok', 'down'] },
    since: MOMENT_OR_NULL,
    reason: { type: ['string', 'null'] },
    writable: { type: ['boolean', 'null'], description: 'Null when this process has not written.' },
    damagedAt: {
      ...MOMENT_OR_NULL,
      description: 'When this process last set a damaged store aside.',
    },
  }),
  threads: {
    type: 'object',
    description: 'The threads of the process beside the one that answers.',
    additionalProperties: THREAD,
  },
});

export const UPLOAD = record({
  status: { const: true },
  result: record({
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
export const REPORTED = record({ status: { const: true }, message: TEXT });
