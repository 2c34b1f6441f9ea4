import { type Logger, pino } from 'pino';
import { AppError } from '../domain/errors.ts';
import type { OperationalEvent, Report } from '../domain/operational-event.ts';
import { describeEvent } from './describe-event.ts';

/** The maximum number of items of a list in a line: pages of the source can link to any number of anime. */
const MAX_ITEMS = 20;

/**
 * Opens the log on the standard output: JSON lines on a pipe; on a terminal the messages, which say what the fields do,
 * and the stacks of unexpected errors. Writes are synchronous, so that the last line before a crash is written.
 */
export async function createLog(level: string, stream: NodeJS.WriteStream = process.stdout): Promise<Logger> {
  if (stream.isTTY) {
    const { default: pretty } = await import('pino-pretty');
    const include = 'time,level,err';
    return pino(
      { level },
      pretty({ sync: true, include, translateTime: 'SYS:HH:MM:ss', destination: stream }),
    );
  }
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 1, sync: true }),
  );
}

/** Creates a report that writes operational events to a log. */
export function createReport(log: Logger): Report {
  // Supervisors and scripts wait for `listening`, so that line is written at every level.
  const always = log.child({}, { level: 'info' });

  return (event) => {
    const level = levelOf(event);
    const target = event.type === 'listening' ? always : log;
    if (target.isLevelEnabled(level))
      target[level](truncateLists(withErrorCode(event)), describeEvent(event));
  };
}

function levelOf(event: OperationalEvent): 'debug' | 'info' | 'warn' | 'error' {
  switch (event.type) {
    case 'page-read':
    case 'refresh-started':
    case 'refresh-elsewhere':
    case 'limiter-refused':
    case 'request-answered':
    case 'webhook-sent':
      return 'debug';
    case 'file-reported':
    case 'connections-refused':
    case 'attempt-failed':
    case 'mirror-failed':
    case 'card-omitted':
    case 'anime-missing':
    case 'store-refilled':
    case 'selectors-repaired':
    case 'limiter-down':
    case 'clock-jumped':
    case 'webhook-gone':
      return 'warn';
    case 'upload-scanned':
      return levelOfScan(event);
    case 'upload-blocked':
      return event.by === 'sha256' ? 'info' : 'debug';
    case 'details-read':
    case 'details-failed':
      return 'debug';
    case 'push-sent':
      return event.isRetry ? 'debug' : 'info';
    case 'peek-finished':
      return event.changes > 0 ? 'info' : 'debug';
    case 'webhook-failed':
    case 'refresh-refused':
      return event.isNews ? 'warn' : 'debug';
    case 'store-failed':
    case 'store-damaged':
    case 'render-failed':
    case 'day-failed':
    case 'thread-failed':
    case 'request-failed':
    case 'webhook-dropped':
      return 'error';
    default:
      return 'info';
  }
}

function levelOfScan(
  event: Extract<OperationalEvent, { type: 'upload-scanned' }>,
): 'debug' | 'warn' | 'error' {
  if (event.outcome === 'found') return 'warn';
  return event.outcome === 'failed' && event.isNews ? 'error' : 'debug';
}

/** An expected error is logged by its code; of any other, pino's `err` holds the stack. */
function withErrorCode(details: object): object {
  if (!('error' in details)) return details;
  const { error, ...rest } = details;
  return { ...rest, ...(error instanceof AppError ? { code: error.code } : { err: error }) };
}

function truncateLists(details: object): object {
  const entries = Object.entries(details);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, MAX_ITEMS) : value]),
  );
}
